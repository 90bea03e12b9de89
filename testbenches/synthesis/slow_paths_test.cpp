// A link more makes no synthesized schedule slower, however slow it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "collectives/synthesis/choose.h"
#include "collectives/synthesis/slow_paths.h"
#include "testbenches/platform/runs.h"
#include "testbenches/synthesis/graphs.h"

namespace slow_paths_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr CollectiveOp ops[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
    CollectiveOp::broadcast};

// Four ranks, every two with a wire but ranks 0 and 1; these with one that is `slower` times slower, 0: with none.
CostGraph diamond(double slower)
{
    CostGraph graph = plain_graph(4);
    for (std::uint32_t a = 0; a < 4; ++a)
        for (std::uint32_t b = std::max(a + 1, 2U); b < 4; ++b) add_wire(graph, a, b, wire_ps, hop_ps);
    if (slower > 0) add_wire(graph, 0, 1, slower * wire_ps, hop_ps);
    route(graph);
    return graph;
}

std::uint64_t best(const CostGraph& graph, CollectiveOp op, std::uint64_t bytes)
{
    ChoiceRequest request;
    request.op = op;
    request.bytes = bytes;
    request.options.channels = 4;
    return choose_synthesized(graph, request).candidates.front().estimate.time_ps;
}

// The same as a document, links of 100 GB/s and one of `gigabytes`, 0: without it.
RunSetup setup(unsigned gigabytes, const char* op)
{
    std::string edges;
    for (unsigned a = 0; a < 4; ++a)
        for (unsigned b = a + 1; b < 4; ++b)
            if (a + b > 1 || gigabytes > 0)
                edges += fmt::format(
                    "  - {{ep1: {{component: 'xpu[{}]'}}, ep2: {{component: 'xpu[{}]'}}, scheme: one2one, link: {}}}\n",
                    a, b, a + b > 1 ? "fast" : "slow");
    const auto link = [](const char* name, unsigned rate) {
        return fmt::format("  - {{name: {}, description: NVLink, physical: {{bandwidth: {{gigabytes_per_second: {}}}, "
                           "latency: {{ns: 100}}}}}}\n",
            name, rate);
    };
    RunSetup out;
    out.document = "name: bench\ndevices:\n- name: box\n  components:\n"
                   "  - {name: xpu, choice: xpu, count: 4, description: accelerator}\n  links:\n" +
        link("fast", 100) + (gigabytes > 0 ? link("slow", gigabytes) : "") + "  edges:\n" + edges +
        "instances:\n- {name: b, device: box, count: 1}\n";
    out.lines = "profile: generic\n" + collective_lines(op, "synthesize", "1 MiB");
    out.options.data_on = false;
    return out;
}

}  // namespace

TEST(SlowPaths, AreThoseWithAFasterWayRound)
{
    EXPECT_TRUE(without_slow_paths(mesh_graph(5)).empty());
    EXPECT_TRUE(without_slow_paths(diamond(0)).empty());
    EXPECT_TRUE(without_slow_paths(diamond(1)).empty());
    const std::vector<ReducedGraph> one = without_slow_paths(diamond(10));
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].without, 2u);  // both ways
    EXPECT_FALSE(one[0].graph.path(0, 1).neighbours);
    EXPECT_TRUE(one[0].graph.path(0, 2).neighbours);
    // The only way to a rank stays, however slow.
    CostGraph graph = plain_graph(4);
    for (const auto& [a, b, slower] : {std::tuple(0, 1, 1), std::tuple(1, 2, 1), std::tuple(2, 3, 9)})
        add_wire(graph, a, b, slower * wire_ps, hop_ps);
    EXPECT_TRUE(without_slow_paths(graph).empty());
    // Two slow speeds: without the slowest, and without both.
    add_wire(graph, 0, 2, 3 * wire_ps, hop_ps);
    add_wire(graph, 0, 3, 30 * wire_ps, hop_ps);
    const std::vector<ReducedGraph> two = without_slow_paths(graph);
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].without, 2u);
    EXPECT_TRUE(two[0].graph.path(0, 2).neighbours);
    EXPECT_EQ(two[1].without, 4u);
    EXPECT_NO_THROW(require_connected(two[1].graph));
}

TEST(SlowPaths, AWireMoreIsNeverWorseByEstimate)
{
    for (const CollectiveOp op : ops)
        for (const std::uint64_t bytes : {std::uint64_t{1} << 14, std::uint64_t{1} << 20}) {
            const std::uint64_t without = best(diamond(0), op, bytes);
            for (const double slower : {1.2, 2.0, 5.0, 10.0, 100.0})
                EXPECT_LE(best(diamond(slower), op, bytes), without) << name_of(op) << " " << bytes << " " << slower;
        }
}

TEST(SlowPaths, ALinkMoreIsNeverWorseInSimulation)
{
    for (const char* op : {"broadcast", "all_gather"}) {
        const auto without = run(setup(0, op))["simulated_ps"].get<std::uint64_t>();
        for (const unsigned gigabytes : {50u, 10u, 1u}) {
            const Json with = run(setup(gigabytes, op));
            EXPECT_LE(with["simulated_ps"].get<std::uint64_t>(), without + without / 100)
                << op << " " << gigabytes << " GB/s: " << with["choice"]["priced"][0].dump();
        }
    }
}

}  // namespace slow_paths_test
