// Which nodes and links a run uses, how its routes spread, and which systems are refused.
#include <fstream>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/assembly/fabric_plan.h"
#include "testbenches/platform/runs.h"

namespace fabric_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup collective_on(const std::string& document, const std::string& op, const std::string& bytes,
    const std::string& more = "")
{
    RunSetup setup;
    setup.document = document;
    setup.lines = collective_lines(op, "direct", bytes, more);
    setup.sets = {"engine.channels=4"};
    return setup;
}

// What planning says against a setup; empty when it is accepted. Nothing is simulated.
std::string refusal(const RunSetup& setup)
{
    try {
        const ResolvedSystem system = resolve_setup(setup);
        plan_fabric(system, members_of(system));
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

FabricPlan plan_of(const RunSetup& setup)
{
    const ResolvedSystem system = resolve_setup(setup);
    return plan_fabric(system, members_of(system));
}

std::vector<std::string> member_names(const FabricPlan& plan)
{
    std::vector<std::string> names;
    for (const NodeId node : plan.members) names.push_back(plan.fabric.nodes[node].name);
    return names;
}

// Payload that left `from` for nodes whose name holds `to`, by link.
std::map<std::string, std::uint64_t> payloads(const Json& result, const std::string& from, const std::string& to)
{
    std::map<std::string, std::uint64_t> out;
    for (const Json& link : result.at("links"))
        if (link.at("from") == from && link.at("to").get<std::string>().find(to) != std::string::npos)
            out[link.at("to")] = link.at("payload_bytes");
    return out;
}

std::string box(const std::string& components, const std::string& edges)
{
    return "name: bench\ndevices:\n- name: box\n  components:\n" + components +
        "  links:\n"
        "  - {name: wire, description: Ethernet, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: "
        "70}}}\n"
        "  - {name: riddle}\n"
        "  edges:\n" +
        edges + "instances:\n- {name: b, device: box, count: 1}\n";
}

const std::string two_switches =
    box("  - {name: xpu, choice: xpu, count: 4}\n  - {name: sw, choice: switch, count: 2}\n",
        "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n");

// A chain of `switches` switches with an accelerator at both ends.
std::string chain(unsigned switches)
{
    const std::string last = std::to_string(switches - 1);
    return box("  - {name: xpu, choice: xpu, count: 2}\n  - {name: sw, choice: switch, count: " +
            std::to_string(switches) + "}\n",
        "  - {ep1: {component: \"xpu[0]\"}, ep2: {component: \"sw[0]\"}, scheme: one2one, link: wire}\n"
        "  - {ep1: {component: \"xpu[1]\"}, ep2: {component: \"sw[" +
            last + "]\"}, scheme: one2one, link: wire}\n" +
            (switches > 1 ? "  - {ep1: {component: \"sw[0:" + last + "]\"}, ep2: {component: \"sw[1:" +
                        std::to_string(switches) + "]\"}, scheme: one2one, link: wire}\n"
                          : ""));
}

}  // namespace

TEST(FabricPlan, RingOfSwitchesIsRefusedWithItsCycle)
{
    const RunSetup setup = collective_on(example("switch_ring"), "all_to_all", "6144");
    const std::string text = refusal(setup);
    EXPECT_NE(text.find("switch_ring.yaml: the routes can deadlock: 6 link buffers wait for each other: "),
        std::string::npos)
        << text;
    // Either way round, each switch to its neighbour.
    for (int i = 0; i < 6; ++i) {
        const std::string a = "ring." + std::to_string(i) + ".sw.0";
        const std::string b = "ring." + std::to_string((i + 1) % 6) + ".sw.0";
        EXPECT_TRUE(text.find(a + " -> " + b) != std::string::npos || text.find(b + " -> " + a) != std::string::npos)
            << text;
    }
    EXPECT_NE(text.find("routing.cycles=allow"), std::string::npos) << text;
}

TEST(FabricPlan, RingOfSwitchesRunsWhenTheCycleIsAllowed)
{
    const Json result = run(collective_on(example("switch_ring"), "all_to_all", "6144").with("routing.cycles=allow"));
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 300);
    EXPECT_EQ(result.value("verified", ""), "passed");
}

TEST(FabricPlan, PoliciesBreakTheCycleOfARing)
{
    const RunSetup ring = collective_on(example("switch_ring"), "all_to_all", "6144");
    EXPECT_EQ(refusal(ring.with("routing.policy=up_down")), "");
    const RunSetup ordered = ring.with("routing.policy=dimension_order");
    const std::string few = refusal(ordered);
    EXPECT_NE(few.find("routing.policy=dimension_order needs 2 VC sets"), std::string::npos) << few;
    EXPECT_NE(few.find("expected link.vc_sets=2 or more"), std::string::npos) << few;
    EXPECT_EQ(refusal(ordered.with("link.vc_sets=2")), "");
    EXPECT_EQ(refusal(ordered.with("link.vc_sets=2").with("routing.size_x=6")), "");
    const std::string wrong = refusal(ordered.with("link.vc_sets=2").with("routing.size_x=5"));
    EXPECT_NE(wrong.find("not a mesh, ring or torus of 5: 5 points, but 6 forwarding nodes"), std::string::npos)
        << wrong;
    const std::string sized = refusal(ring.with("routing.policy=dragonfly_minimal").with("routing.group=3"));
    EXPECT_NE(sized.find("not a dragonfly: ring.0.sw.0 and ring.2.sw.0 of one group are not joined"), std::string::npos)
        << sized;
    const std::string pairs = refusal(ring.with("routing.policy=dragonfly_minimal").with("routing.group=2"));
    EXPECT_NE(pairs.find("needs 2 VC sets"), std::string::npos) << pairs;
    EXPECT_EQ(refusal(ring.with("routing.policy=dragonfly_minimal").with("routing.group=2").with("link.vc_sets=2")),
        "");
    const std::string instances = refusal(ring.with("routing.policy=dragonfly_minimal"));
    EXPECT_NE(instances.find("not a dragonfly: no link joins the group of"), std::string::npos) << instances;
}

TEST(FabricPlan, ARingWithOneCreditFinishesWithDatelineVcSetsAndWithUpDown)
{
    const RunSetup ring = collective_on(example("switch_ring"), "all_to_all", "393216")
                              .with("link.request_credits=1")
                              .with("link.response_credits=1");
    const RunSetup policies[] = {ring.with("routing.policy=up_down"),
        ring.with("routing.policy=dimension_order").with("link.vc_sets=2")};
    for (const RunSetup& setup : policies) {
        const Json result = run(setup);
        EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 300);
        EXPECT_EQ(result.value("verified", ""), "passed");
    }
    EXPECT_NE(run(ring.with("routing.cycles=allow")).value("stop", ""), "finished");
}

TEST(FabricPlan, TooFewVcSetsNameTheKeyAndTheCircle)
{
    const std::string text =
        refusal(collective_on(example("switch_ring"), "barrier", "0").with("routing.policy=dimension_order"));
    EXPECT_NE(text.find("routing.policy=dimension_order needs 2 VC sets, but "), std::string::npos) << text;
    EXPECT_NE(text.find("has 1; with these, 6 link buffers wait for each other: "), std::string::npos) << text;
    for (unsigned s = 0; s < 6; ++s)
        EXPECT_NE(text.find("ring." + std::to_string(s) + ".sw.0 -> ring." + std::to_string((s + 1) % 6) + ".sw.0"),
            std::string::npos)
            << text;
    EXPECT_NE(text.find("; expected link.vc_sets=2 or more"), std::string::npos) << text;
}

TEST(FabricPlan, ADragonflyByWayOfRandomGroupsIsRightWithOneCredit)
{
    // Six switches as three groups of two, one link between any two groups.
    const RunSetup ring = collective_on(example("switch_ring"), "all_to_all", "98304")
                              .with("routing.policy=dragonfly_valiant")
                              .with("routing.group=2");
    EXPECT_NE(refusal(ring.with("link.vc_sets=2")).find("needs 3 VC sets"), std::string::npos);
    const RunSetup with_sets =
        ring.with("link.vc_sets=3").with("link.request_credits=1").with("link.response_credits=1");
    for (const char* selection : {"lines", "pairs", "none", "round_robin"}) {
        const Json result = run(with_sets.with(std::string("routing.path_selection=") + selection));
        EXPECT_EQ(result.value("stop", ""), "finished") << selection << result.dump().substr(0, 300);
        EXPECT_EQ(result.value("verified", ""), "passed") << selection;
    }
}

TEST(FabricPlan, AChainOfSwitchesHasNoCycle) { EXPECT_EQ(refusal(collective_on(chain(5), "barrier", "0")), ""); }

TEST(FabricPlan, TorusOfAcceleratorsPassesLinesOn)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    RunSetup two = collective_on(shared_document("device_ironwood_rack"), "barrier", "0", "ranks: 2");
    const Json direct = run(two);
    EXPECT_EQ(direct.value("stop", ""), "finished") << direct.dump().substr(0, 300);

    RunSetup all = collective_on(shared_document("device_ironwood_rack"), "barrier", "0");
    all.sets.push_back("routing.cycles=allow");
    const FabricPlan plan = plan_of(all);
    EXPECT_EQ(plan.members.size(), 64u);
    for (const NodeId node : plan.members) EXPECT_TRUE(plan.used.transit[node]);
    ASSERT_FALSE(plan.notices.empty());
    EXPECT_NE(plan.notices[0].find("forward packets of other nodes"), std::string::npos);
    const Json result = run(all);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 300);
    EXPECT_EQ(result["ranks"].size(), 64u);

    // With dateline VC sets the same torus needs no exception.
    RunSetup ordered = collective_on(shared_document("device_ironwood_rack"), "barrier", "0");
    ordered.sets = {"engine.channels=4", "routing.policy=dimension_order", "link.vc_sets=2"};
    const Json in_order = run(ordered);
    EXPECT_EQ(in_order.value("stop", ""), "finished") << in_order.dump().substr(0, 300);
}

TEST(FabricPlan, AMeshHandsNothingOn)
{
    const FabricPlan plan = plan_of(collective_on(mesh_document(3), "barrier", "0"));
    for (const bool transit : plan.used.transit) EXPECT_FALSE(transit);
}

TEST(FabricPlan, EndpointsWithoutAPathAreNamed)
{
    const std::string islands =
        box("  - {name: xpu, choice: xpu, count: 4}\n  - {name: sw, choice: switch, count: 2}\n",
            "  - {ep1: {component: \"xpu[0:2]\"}, ep2: {component: \"sw[0]\"}, scheme: many2many, link: wire}\n"
            "  - {ep1: {component: \"xpu[2:4]\"}, ep2: {component: \"sw[1]\"}, scheme: many2many, link: wire}\n");
    EXPECT_EQ(refusal(collective_on(islands, "barrier", "0")),
        "inline.yaml: no path between b.0.xpu.0 and b.0.xpu.2; expected a connected fabric");
    EXPECT_EQ(refusal(collective_on(islands, "barrier", "0", "ranks: 2")), "");
}

TEST(FabricPlan, RanksAreTheFirstOrTheNamedOnes)
{
    EXPECT_EQ(member_names(plan_of(collective_on(star_document(5), "barrier", "0", "ranks: 2"))),
        (std::vector<std::string>{"b.0.xpu.0", "b.0.xpu.1"}));
    EXPECT_EQ(member_names(plan_of(
                  collective_on(star_document(5), "barrier", "0", "ranks: [\"*.xpu.3\", b.0.xpu.1, \"*.xpu.*\"]"))),
        (std::vector<std::string>{"b.0.xpu.3", "b.0.xpu.1", "b.0.xpu.0", "b.0.xpu.2", "b.0.xpu.4"}));
    EXPECT_NE(refusal(collective_on(star_document(5), "barrier", "0", "ranks: 6")).find("at most as many ranks as xpu"),
        std::string::npos);
    EXPECT_NE(refusal(collective_on(star_document(5), "barrier", "0", "ranks: [\"*.nvsw.*\"]"))
                  .find("matches no further xpu"),
        std::string::npos);
}

TEST(FabricPlan, RanksGoThroughTheResult)
{
    const Json result = run(collective_on(star_document(4), "all_gather", "1024", "ranks: [b.0.xpu.3, b.0.xpu.1]"));
    EXPECT_EQ(result["ranks"][0]["node"], "b.0.xpu.3");
    EXPECT_EQ(result["ranks"][1]["node"], "b.0.xpu.1");
    EXPECT_EQ(result["links"].size(), 4u);  // two of the four accelerators, both directions
    EXPECT_EQ(result["verified"], "passed");
}

TEST(FabricPlan, LinesSpreadOverEqualPaths)
{
    const auto left = [](const std::string& selection) {
        return payloads(
            run(collective_on(two_switches, "all_to_all", "65536").with("routing.path_selection=" + selection)),
            "b.0.xpu.1", "sw");
    };
    // 48 KiB to three peers and four signals to each.
    constexpr std::uint64_t total = 3 * 16'384 + 3 * 4 * 8;
    const auto lines = left("lines");
    EXPECT_EQ(lines.at("b.0.sw.0"), total / 2);
    EXPECT_EQ(lines.at("b.0.sw.1"), total / 2);
    const auto none = left("none");
    EXPECT_EQ(none.at("b.0.sw.0"), total);
    EXPECT_EQ(none.at("b.0.sw.1"), 0u);
    const auto pairs = left("pairs");
    EXPECT_EQ(pairs.at("b.0.sw.0") + pairs.at("b.0.sw.1"), total);
    EXPECT_EQ(pairs.at("b.0.sw.0") % (total / 3), 0u);
    // In turn each peer gets as many lines by either switch; which of them are signals of 8 B instead of 64 is chance.
    const auto turns = left("round_robin");
    EXPECT_EQ(turns.at("b.0.sw.0") + turns.at("b.0.sw.1"), total);
    EXPECT_NEAR(static_cast<double>(turns.at("b.0.sw.0")), total / 2.0, 3 * 4 * 56 / 2.0);
}

TEST(FabricPlan, InTurnGivesRightResults)
{
    for (const char* op : {"all_to_all", "all_reduce"}) {
        const Json result = run(collective_on(two_switches, op, "65536").with("routing.path_selection=round_robin"));
        EXPECT_EQ(result.value("verified", ""), "passed") << op;
    }
}

TEST(FabricPlan, PairsKeepToOnePath)
{
    // With two ranks there is one pair each way: one of the two switches carries everything.
    const Json result =
        run(collective_on(two_switches, "all_to_all", "65536", "ranks: 2").with("routing.path_selection=pairs"));
    for (const char* from : {"b.0.xpu.0", "b.0.xpu.1"}) {
        const auto carried = payloads(result, from, "sw");
        EXPECT_TRUE(carried.at("b.0.sw.0") == 0 || carried.at("b.0.sw.1") == 0) << from;
    }
}

TEST(FabricPlan, ALinkWithoutBandwidthCountsOnlyWhereItIsUsed)
{
    const auto with_host = [](const char* riddle_at) {
        return box("  - {name: xpu, choice: xpu, count: 2}\n  - {name: cpu, choice: cpu, count: 1}\n"
                   "  - {name: sw, choice: switch, count: 2}\n",
            std::string("  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: one2one, link: wire}\n"
                        "  - {ep1: {component: \"sw[0]\"}, ep2: {component: \"sw[1]\"}, scheme: one2one, link: ") +
                riddle_at +
                "}\n  - {ep1: {component: \"sw[0]\"}, ep2: {component: cpu}, scheme: one2one, link: riddle}\n");
    };
    EXPECT_EQ(refusal(collective_on(with_host("wire"), "barrier", "0")), "");
    EXPECT_NE(refusal(collective_on(with_host("riddle"), "barrier", "0")).find("riddle"), std::string::npos);
    EXPECT_EQ(refusal(collective_on(with_host("riddle"), "barrier", "0").with("links.riddle.bandwidth=1 GB/s")), "");
}

TEST(FabricPlan, MoreWorkgroupsThanCanBeToldApartAreRefused)
{
    const RunSetup setup = collective_on(star_document(2), "barrier", "0").with("gpu.compute_units=1024");
    EXPECT_EQ(refusal(setup.with("gpu.workgroups_per_unit=4")), "");
    const std::string text = refusal(setup.with("gpu.workgroups_per_unit=5"));
    EXPECT_NE(text.find("b.0.xpu.0 has 1024 compute units of 5 workgroups each; expected at most 4096"),
        std::string::npos)
        << text;
}

TEST(FabricPlan, PathsThatAreTooLongAreRefused)
{
    EXPECT_EQ(refusal(collective_on(chain(31), "barrier", "0")), "");
    EXPECT_EQ(run(collective_on(chain(31), "all_gather", "4096")).value("verified", ""), "passed");
    EXPECT_NE(refusal(collective_on(chain(32), "barrier", "0")).find("has 33 links; expected at most 32"),
        std::string::npos)
        << refusal(collective_on(chain(32), "barrier", "0"));
}

TEST(FabricPlan, SwitchesWithTooManyPortsAreRefused)
{
    const auto hub = [](unsigned hosts) {
        return box("  - {name: xpu, choice: xpu, count: 2}\n  - {name: cpu, choice: cpu, count: " +
                std::to_string(hosts) + "}\n  - {name: sw, choice: switch, count: 1}\n",
            "  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
            "  - {ep1: {component: cpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n");
    };
    EXPECT_EQ(refusal(collective_on(hub(5000), "barrier", "0")), "");  // hosts take no port
    EXPECT_NE(refusal(collective_on(hub(70'000), "barrier", "0")).find("links at b.0.sw.0"), std::string::npos);
}

TEST(FabricPlan, SystemsBeyondWhatCanBeBuiltAreRefusedBeforeTheyTakeMemory)
{
    const std::string text = refusal(collective_on(star_document(20'000), "barrier", "0"));
    EXPECT_NE(text.find("routes from 20001 nodes to 20000 ranks"), std::string::npos) << text;
}

}  // namespace fabric_test
