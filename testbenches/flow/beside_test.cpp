// Collectives beside kernels at flow fidelity: which parameters slow them down, and that kernels are slowed down, too.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/result/report.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"

namespace beside_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Four H100 of a quarter of their size.
RunSetup quarter(const std::string& kernel, const std::string& bytes = "64 KiB", const std::string& algorithm = "ring")
{
    RunSetup out;
    out.document = example("dgx_h100");
    out.lines = "profile: h100\n" +
        collective_lines("all_reduce", algorithm, bytes,
            "ranks: 4" + (kernel.empty() ? "" : ", beside: \"" + kernel + "\""));
    out.sets = {"gpu.compute_units=33", "gpu.peak_flops=247TFLOP/s", "l2.bandwidth=2450GB/s",
        "l2.far_bandwidth=940GB/s", "hbm.bandwidth=838GB/s"};
    out.options.progress = false;
    return out;
}

RunResult flow_run(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

double time_of(const RunSetup& setup) { return static_cast<double>(flow_run(setup).simulated_ps); }

const std::string loads = "gemm:2048,1024,64";

}  // namespace

TEST(FlowBeside, AKernelSlowsACollectiveDownByTheQueueAtTheL2)
{
    const double alone = time_of(quarter(""));
    const double beside = time_of(quarter(loads));
    EXPECT_GT(beside, 1.15 * alone);
    EXPECT_LT(time_of(quarter(loads).with("l2.bandwidth=9800GB/s")) - alone, 0.5 * (beside - alone));
    EXPECT_GT(time_of(quarter(loads).with("gpu.compute_units=66")) - alone, 1.3 * (beside - alone));
    EXPECT_LT(time_of(quarter(loads).with("gpu.outstanding=128")), beside);
    EXPECT_LT(time_of(quarter(loads).with("gpu.peak_flops=62TFLOP/s")), beside);
    EXPECT_NEAR(time_of(quarter(loads).with("hbm.bandwidth=3350GB/s")), beside, 0.03 * beside);
}

TEST(FlowBeside, MatricesBeyondTheL2MakeMemoryTheBoundOfTheKernel)
{
    const auto kernel = [](const RunSetup& setup) { return static_cast<double>(flow_run(setup).beside->mean_ps); };
    const RunSetup small = quarter(loads).with("l2.size=2560KiB");
    EXPECT_GT(kernel(small), 1.1 * kernel(quarter(loads)));
    EXPECT_LT(kernel(small.with("hbm.bandwidth=3350GB/s")), 0.95 * kernel(small));
}

TEST(FlowBeside, ACollectiveSlowsTheKernelDown)
{
    const auto kernel = [](const std::string& bytes) {
        return static_cast<double>(flow_run(quarter(loads, bytes, "direct")).beside->mean_ps);
    };
    EXPECT_GT(kernel("4 MiB"), 1.02 * kernel("4 KiB"));
}

// The engine of a unit has its own limit of lines in flight: none of gpu.outstanding are taken from kernels.
TEST(FlowBeside, BulkCopiesLeaveThePlacesOfTheirUnitToKernels)
{
    const auto kernel = [](const std::string& outstanding) {
        RunSetup setup;
        setup.document = mesh_document(3);
        setup.lines =
            "profile: generic\n" + collective_lines("all_gather", "direct", "3 MiB", "beside: \"gemm:1024,1024,256\"");
        setup.sets = {"engine.mover=bulk", "engine.channels=8", "gpu.outstanding=" + outstanding};
        setup.options.progress = false;
        return flow_run(setup).beside->mean_ps;
    };
    EXPECT_EQ(kernel("512"), kernel("4096"));
}

TEST(FlowBeside, TheResultHasTheKernelsAndStallCausesAddUp)
{
    const RunResult result = flow_run(quarter(loads));
    ASSERT_TRUE(result.beside);
    EXPECT_EQ(result.beside->kernel, loads);
    EXPECT_GE(result.beside->finished, 4U);
    EXPECT_GT(result.beside->mean_ps, 0U);
    EXPECT_GT(result.beside->flops, 1e12);
    EXPECT_EQ(result.stop, StopReason::finished);
    for (const RankResult& rank : result.ranks) {
        Time sum = 0;
        for (const auto& [cause, time] : rank.stall_ps) sum += time;
        EXPECT_GT(sum, result.simulated_ps / 2) << rank.rank;
        EXPECT_LE(sum, result.simulated_ps) << rank.rank;
    }
}

TEST(FlowBeside, TwoRunsAreEqual)
{
    const RunSetup setup = quarter(loads, "256 KiB", "direct");
    const auto text = [&] {
        RunResult result = flow_run(setup);
        result.elaborate_s = result.wall_s = 0;
        return std::to_string(result.simulated_ps) + " " + std::to_string(result.beside->mean_ps) + " " +
            std::to_string(result.ranks[1].finish_ps);
    };
    EXPECT_EQ(text(), text());
}

// Two ranks that wait for each other's message before they send: the run ends with its kernels.
TEST(FlowBeside, AWorkloadThatIsStuckIsFoundBesideKernels)
{
    using namespace weft::chakra::testing;
    const Folder folder;
    const std::string prefix = folder.write_set(
        {{recv(1, 1, 5, 4096), send(2, 1, 6, 4096).data({1})}, {recv(1, 0, 6, 4096), send(2, 0, 5, 4096).data({1})}});
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = "profile: generic\n" + trace_lines(prefix, "beside: \"gemm:256,256,64\"");
    setup.options.progress = false;
    EXPECT_EQ(flow_run(setup).stop, StopReason::deadlock);
}

TEST(FlowBeside, BeyondSixtyFourRanksItIsRefused)
{
    RunSetup setup;
    setup.document = star_document(65);
    setup.lines =
        "profile: generic\n" + collective_lines("all_reduce", "ring", "64 KiB", "beside: \"gemm:256,256,64\"");
    setup.options.progress = false;
    EXPECT_THROW(flow_run(setup), InputError);
}

// Compute nodes as kernels: a collective waits for their loads.
TEST(FlowBeside, ACollectiveOverlapsAKernelOfATrace)
{
    using namespace weft::chakra::testing;
    const Folder folder;
    const auto run_of = [&](bool kernel, bool reduce) {
        std::vector<std::string> nodes;
        if (kernel) nodes.push_back(NodeText(1, 4, "w").integer("num_ops", 1 << 20).integer("tensor_size", 64 << 20));
        if (reduce) nodes.push_back(collective(2, 0, 16 << 10));
        const std::string prefix = folder.write_set({nodes, nodes});
        RunSetup setup;
        setup.document = star_document(2);
        setup.lines = "profile: generic\n" + trace_lines(prefix);
        setup.sets = {"engine.compute=kernel"};
        setup.options.progress = false;
        return flow_run(setup);
    };
    const Time alone = run_of(false, true).collectives.front().end_ps;
    EXPECT_GT(run_of(true, true).collectives.front().end_ps, alone + alone / 20);
}

// An all-reduce of 4 MiB whose stores fill the units, beside ten kernels one after the other: by lines 15.19 us.
TEST(FlowBeside, KernelsRunWhileStoresFillTheirUnits)
{
    using namespace weft::chakra::testing;
    constexpr double lines_ps = 15'193'301;
    const Folder folder;
    std::vector<std::string> nodes = {collective(1, 0, 4 << 20)};
    for (std::uint64_t i = 0; i < 10; ++i) {
        NodeText kernel(2 + i, 4, "w");
        kernel.integer("num_ops", 1'000'000'000).integer("tensor_size", 1 << 20);
        nodes.push_back(i == 0 ? kernel : kernel.data({1 + i}));
    }
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n" + trace_lines(folder.write_set({nodes, nodes}));
    setup.sets = {"engine.compute=kernel"};
    setup.options.progress = false;
    EXPECT_NEAR(time_of(setup), lines_ps, 0.1 * lines_ps);
}

}  // namespace beside_test
