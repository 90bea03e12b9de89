// Compute nodes of traces as kernels on units, at flow fidelity.
#include <gtest/gtest.h>

#include <algorithm>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"

namespace compute_nodes_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

NodeText compute(std::uint64_t id, std::int64_t operations, std::int64_t bytes)
{
    NodeText node(id, 4, "w");
    node.integer("num_ops", operations).integer("tensor_size", bytes);
    return node;
}

// Every rank carries out the same nodes.
RunSetup traced(const Folder& folder, unsigned ranks, const std::vector<std::string>& nodes)
{
    RunSetup setup;
    setup.document = star_document(ranks);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(std::vector(ranks, nodes)));
    setup.sets = {"engine.compute=kernel"};
    setup.options.progress = false;
    return setup;
}

RunResult flow_run(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

Time share(const RankResult& rank, const std::string& activity)
{
    for (const auto& [name, time] : rank.breakdown_ps)
        if (name == activity) return time;
    return 0;
}

bool told(const RunResult& result, const std::string& words)
{
    return std::any_of(result.notices.begin(), result.notices.end(),
        [&](const std::string& notice) { return notice.find(words) != std::string::npos; });
}

}  // namespace

// One workgroup a unit, four of each on four units: what a rank has launched first runs first, on every rank alike.
TEST(FlowComputeNodes, OfOneInstantTakePlacesInTheOrderOfTheirRank)
{
    const Folder folder;
    const auto runs = [&](bool kernel_first) {
        const std::uint64_t kernel = kernel_first ? 1 : 2;
        std::vector<std::string> nodes{comp(kernel, 8), collective(3 - kernel, 0, 64 << 10)};
        if (!kernel_first) std::swap(nodes[0], nodes[1]);
        RunSetup setup = traced(folder, 4, nodes);
        setup.sets.insert(setup.sets.end(),
            {"gpu.compute_units=4", "gpu.workgroups_per_unit=1", "engine.channels=4", "engine.compute_workgroups=4",
                "gpu.peak_flops=1TFLOP/s", "gpu.launch_latency=0ns"});
        return flow_run(setup);
    };
    constexpr Time kernel_ps = 8'000'000;
    const RunResult first = runs(true);
    for (const RankResult& rank : first.ranks) {
        EXPECT_EQ(share(rank, "overlap"), kernel_ps) << rank.rank;
        EXPECT_EQ(share(rank, "compute"), 0U) << rank.rank;
    }
    // Behind the collective the kernel has the units to itself.
    const RunResult last = runs(false);
    for (const RankResult& rank : last.ranks) EXPECT_GE(share(rank, "compute"), kernel_ps) << rank.rank;
}

// A line for each of 64 workgroups, on 64 slices: none waits for another at the L2, where a line takes 4096 ps, and the memory has brought
// all of them within that.
TEST(FlowComputeNodes, LoadTheLinesOfTheirOwnPart)
{
    const Folder folder;
    const auto time_of = [&](std::int64_t lines) {
        RunSetup setup = traced(folder, 2, {compute(1, 64, lines * 64)});
        setup.sets.insert(setup.sets.end(),
            {"gpu.compute_units=64", "engine.compute_workgroups=64", "l2.slices=64", "hbm.channels=64",
                "hbm.bandwidth=4TB/s", "l2.bandwidth=1TB/s"});
        return flow_run(setup).simulated_ps;
    };
    EXPECT_EQ(time_of(64), time_of(1));
}

TEST(FlowComputeNodes, BeyondSixtyFourRanksTakeNoUnitsAndSaySo)
{
    const Folder folder;
    const std::vector<std::string> nodes{comp(1, 8)};
    EXPECT_FALSE(told(flow_run(traced(folder, 64, nodes)), "engine.compute = kernel"));
    EXPECT_TRUE(told(flow_run(traced(folder, 65, nodes)),
        "beyond 64 ranks engine.compute = kernel is as engine.compute = time"));
}

TEST(FlowComputeNodes, BesidePacketsFlowSaysWhatItLacks)
{
    const Folder folder;
    const RunSetup setup = traced(folder, 2, {compute(1, 8'000'000, 1 << 20), collective(2, 0, 4096)});
    EXPECT_FALSE(told(flow_run(setup), "packets (engine.protocol"));
    EXPECT_TRUE(
        told(flow_run(setup.with("engine.protocol=ll")), "packets (engine.protocol = ll or ll128) hardly wait"));
}

}  // namespace compute_nodes_test
