#include <random>
#include <set>

#include <gtest/gtest.h>

#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/fabric_system.h"

namespace random_fabric_test {

using namespace weft;
using namespace weft::testing;

namespace {

Fabric random_fabric(std::mt19937& random)
{
    Fabric fabric;
    const unsigned switches = 1 + random() % 8;
    fabric.endpoints = 2 + random() % 11;
    const std::uint64_t rates[] = {25'000'000'000, 50'000'000'000, 900'000'000'000};
    for (unsigned s = 0; s < switches; ++s) fabric.nodes.push_back({"s" + std::to_string(s), -1, true});
    // Switches form a ring, or a tree that now and then falls apart; further edges close loops.
    const bool ring = switches > 3 && random() % 3 == 0;
    for (unsigned s = ring ? 0 : 1; s < switches; ++s) {
        const auto to = static_cast<std::uint32_t>(ring ? (s + 1) % switches : random() % s);
        if (ring || random() % 12 != 0) fabric.edges.push_back({s, to, rates[ring ? 1 : random() % 3]});
    }
    for (unsigned extra = ring ? 0 : random() % 4; extra > 0 && switches > 1; --extra) {
        const auto a = static_cast<std::uint32_t>(random() % switches);
        const auto b = static_cast<std::uint32_t>(random() % switches);
        if (a != b) fabric.edges.push_back({a, b, rates[random() % 3]});
    }
    for (unsigned e = 0; e < fabric.endpoints; ++e) {
        const auto node = static_cast<std::uint32_t>(fabric.nodes.size());
        fabric.nodes.push_back({"e" + std::to_string(e), static_cast<int>(e), false});
        for (unsigned links = 1 + (random() % 4 == 0); links > 0; --links)
            fabric.edges.push_back({node, static_cast<std::uint32_t>(random() % switches), rates[random() % 3]});
        if (random() % 6 == 0 && e > 0)
            fabric.edges.push_back({node, static_cast<std::uint32_t>(switches + random() % e), rates[random() % 3]});
    }
    return fabric;
}

// "cycle" after checking that it is one, or "ran" after checking that everything was answered.
std::string try_fabric(unsigned seed)
{
    std::mt19937 random(seed);
    const Fabric fabric = random_fabric(random);
    FabricSystem::Options options;
    options.link.request_credits = 1 + random() % 4;
    options.link.response_credits = 1 + random() % 4;
    options.link.latency = 1 + random() % 50'000;
    options.switches.latency = 1 + random() % 50'000;
    options.service = random() % 20'000;
    const std::vector<std::string> cycle = Routing(fabric).dependency_cycle();
    if (!cycle.empty()) {
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const std::string& next = cycle[(i + 1) % cycle.size()];
            EXPECT_EQ(cycle[i].substr(cycle[i].find(" -> ") + 4), next.substr(0, next.find(" -> ")));
        }
        return "cycle";
    }
    FabricSystem system(fabric, options);
    for (unsigned e = 0; e < fabric.endpoints; ++e)
        for (unsigned i = 0; i < 80; ++i) {
            const unsigned to = random() % fabric.endpoints;
            if (to == e || !system.routing.reachable(e, to)) continue;
            const unsigned kind = random() % 4;
            const std::uint64_t local = random() % 4096 * 64;
            if (kind == 3) {
                system.endpoints[e]->issue(random() % 3000, LineOp::atomic, to, local + random() % 8 * 8, 8);
            } else {
                const unsigned size = 1 + random() % 64;
                system.endpoints[e]->issue(random() % 3000, kind == 0 ? LineOp::read : LineOp::write, to,
                    local + random() % (65 - size), size);
            }
        }
    sc_core::sc_start();
    system.expect_clean();
    return "ran";
}

}  // namespace

TEST(RandomFabric, EitherACycleIsReportedOrEveryLineIsAnswered)
{
    unsigned cycles = 0;
    unsigned runs = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        const std::string outcome = in_child([seed] { return try_fabric(seed); });
        if (outcome == "cycle") ++cycles;
        if (outcome == "ran") ++runs;
        ASSERT_TRUE(outcome == "cycle" || outcome == "ran") << "seed " << seed;
    }
    EXPECT_EQ(cycles + runs, 200u);
    EXPECT_GT(runs, 100u);
    EXPECT_GT(cycles, 10u);
}

}  // namespace random_fabric_test
