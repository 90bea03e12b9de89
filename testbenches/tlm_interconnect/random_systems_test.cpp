// Random systems: topology, routing policy, channels, buffers, packets, switch model, arbitration and traffic are drawn;
// each is refused with a cycle, or every line arrives while all checkers are silent.
#include <random>

#include <gtest/gtest.h>

#include "testbenches/support/thorough.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace random_systems_test {

using namespace weft;
using namespace weft::testing;

namespace {

Fabric random_graph(std::mt19937& random)
{
    Fabric fabric;
    const auto switches = static_cast<unsigned>(2 + random() % 7);
    fabric.endpoints = static_cast<std::uint32_t>(2 + random() % 10);
    const std::uint64_t rates[] = {25'000'000'000, 50'000'000'000, 900'000'000'000};
    for (unsigned s = 0; s < switches; ++s) fabric.nodes.push_back({"s" + std::to_string(s), -1, true});
    for (unsigned s = 1; s < switches; ++s)
        fabric.edges.push_back({s, static_cast<std::uint32_t>(random() % s), rates[random() % 3]});
    for (std::uint64_t extra = random() % 5; extra > 0; --extra) {
        const auto a = static_cast<std::uint32_t>(random() % switches);
        const auto b = static_cast<std::uint32_t>(random() % switches);
        if (a != b) fabric.edges.push_back({a, b, rates[random() % 3]});
    }
    for (unsigned e = 0; e < fabric.endpoints; ++e) {
        fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
        fabric.edges.push_back({switches + e, static_cast<std::uint32_t>(random() % switches), rates[random() % 3]});
    }
    return fabric;
}

std::string try_system(unsigned seed)
{
    std::mt19937 random(seed);
    const auto one_in = [&random](unsigned n) { return random() % n == 0; };
    FabricSystem::Options options;
    LinkSpec& link = options.link;
    Fabric fabric;
    switch (random() % 5) {
    case 0: fabric = grid_of({static_cast<unsigned>(3 + random() % 4)}, true); break;
    case 1:
        fabric = grid_of({static_cast<unsigned>(2 + random() % 3), static_cast<unsigned>(2 + random() % 3)}, one_in(2));
        break;
    case 2: fabric = two_tiers(2 + random() % 3, 1 + random() % 3, 1 + random() % 3); break;
    default: fabric = random_graph(random); break;
    }
    options.routes.policy = RoutePolicy::minimal;
    if (fabric.nodes[0].name == "s0" && fabric.endpoints * 2 == fabric.nodes.size() && one_in(2))
        options.routes.policy = RoutePolicy::dimension_order;
    else if (one_in(3))
        options.routes.policy = RoutePolicy::up_down;

    link.request_credits = 1 + random() % 4;
    link.response_credits = 1 + random() % 4;
    link.pool_credits = one_in(3) ? random() % 4 : 0;
    link.vcs = static_cast<RequestVcs>(random() % 2);
    link.latency = 1 + random() % 50'000;
    link.merge = static_cast<MergeKind>(random() % 3);
    link.max_payload = 64U << random() % 4;
    link.address_extension = one_in(3) ? 16 : 0;
    link.packet_overhead = one_in(4) ? 8 : 0;
    if (one_in(3)) {
        link.frame = 256;
        link.frame_payload = 240;
    }
    link.credit_bytes = one_in(2) ? 4 : 0;
    link.credit_batch = 1 + random() % 8;
    link.bundle = one_in(4) ? 1 + random() % 4 : 1;
    link.bundle_selection = static_cast<BundleSelection>(random() % 2);

    SwitchSpec& hub = options.switches;
    options.crossbar = one_in(2);
    hub.latency = 1 + random() % 20'000;
    hub.arbiter = static_cast<ArbiterKind>(random() % 4);
    hub.control_weight = 1 + random() % 4;
    hub.data_weight = 1 + random() % 4;
    hub.clock = 1 + random() % 3'000;
    hub.queues = static_cast<QueueKind>(random() % 2);  // voq, channel
    hub.allocator = static_cast<AllocatorKind>(random() % 5);
    hub.iterations = 1 + random() % 3;
    hub.vc_stage = static_cast<VcStage>(random() % 2);
    hub.traversal = random() % 3'000;
    hub.credit_delay = random() % 3'000;
    hub.input_speedup = 1 + random() % 2;
    hub.output_buffer = one_in(2) ? 0 : 1 + random() % 4;
    hub.transfer = hub.output_buffer > 0 && one_in(2) ? 1 + random() % 2'000 : 0;
    options.service = random() % 20'000;

    RouteRules rules = options.routes;
    std::vector<std::string> cycle;
    try {
        const Routing routing(fabric, rules);
        link.vc_sets = std::min<std::uint64_t>(4, routing.vc_sets() * (1 + random() % 2));
        cycle = routing.dependency_cycle();
    } catch (const RouteMismatch&) {
        return "mismatch";
    }
    if (!cycle.empty()) {
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const std::string& next = cycle[(i + 1) % cycle.size()];
            const std::string to = cycle[i].substr(cycle[i].find(" -> ") + 4);
            EXPECT_EQ(to.substr(0, to.find(' ')), next.substr(0, next.find(" -> ")));
        }
        return "cycle";
    }
    FabricSystem system(fabric, options);
    for (unsigned e = 0; e < fabric.endpoints; ++e)
        for (unsigned i = 0; i < 60; ++i) {
            const auto to = static_cast<unsigned>(random() % fabric.endpoints);
            if (to == e || !system.routing.reachable(e, to)) continue;
            const std::uint64_t local = random() % 64 * 64;
            if (one_in(4)) {
                system.endpoints[e]->issue(random() % 3000, LineOp::atomic, to, local + random() % 8 * 8, 8);
            } else {
                const auto size = static_cast<unsigned>(one_in(2) ? 64 : 1 + random() % 64);
                system.endpoints[e]->issue(random() % 3000, one_in(2) ? LineOp::read : LineOp::write, to,
                    local + random() % (65 - size), size);
            }
        }
    sc_core::sc_start();
    system.expect_clean();
    return "ran";
}

}  // namespace

TEST(RandomSystems, EachIsRefusedWithACycleOrEveryLineArrives)
{
    unsigned cycles = 0;
    unsigned runs = 0;
    unsigned mismatches = 0;
    const auto all = static_cast<unsigned>(test::by_default(200, 600));
    for (unsigned seed = 1; seed <= all; ++seed) {
        const std::string outcome = in_child([seed] { return try_system(seed); });
        cycles += outcome == "cycle" ? 1 : 0;
        runs += outcome == "ran" ? 1 : 0;
        mismatches += outcome == "mismatch" ? 1 : 0;
        ASSERT_TRUE(outcome == "cycle" || outcome == "ran" || outcome == "mismatch") << "seed " << seed;
    }
    EXPECT_GE(cycles + runs, all * 5 / 6);
    EXPECT_GT(runs, all * 7 / 12);
    EXPECT_GT(cycles, all / 30);
    RecordProperty("mismatches", static_cast<int>(mismatches));
}

}  // namespace random_systems_test
