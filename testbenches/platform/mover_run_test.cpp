// Whole runs by each mover, and beside a kernel.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

namespace mover_run_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup gather(const std::string& more = "")
{
    RunSetup setup;
    setup.document = mesh_document(2);
    setup.lines = "profile: h100\n" + collective_lines("all_gather", "direct", "256 KiB", more);
    return setup;
}

std::uint64_t payload_of(const Json& result)
{
    std::uint64_t total = 0;
    for (const Json& link : result["links"]) total += link["payload_bytes"].get<std::uint64_t>();
    return total;
}

// Value of a statistic summed over the modules of a kind; nothing of that kind is 0.
std::uint64_t sum_of(const Json& result, const std::string& kind, const std::string& name)
{
    std::uint64_t total = 0;
    for (const Json& module : result["modules"])
        if (module["kind"] == kind) total += module["stats"][name]["value"].get<std::uint64_t>();
    return total;
}

}  // namespace

TEST(MoverRun, WhoeverMovesThemTheSameBytesCrossTheLinks)
{
    // 128 KiB of each GPU, and 8 bytes for every signal of a channel.
    for (const char* mover : {"units", "copy_engine", "bulk"}) {
        const Json result = run(gather().with(std::string("engine.mover=") + mover));
        ASSERT_EQ(result.value("verified", ""), "passed") << mover << result.dump().substr(0, 300);
        EXPECT_EQ(payload_of(result), (2u << 17) + 2 * 32 * 8) << mover;
        const bool engines = mover == std::string("copy_engine");
        const bool bulk = mover == std::string("bulk");
        EXPECT_EQ(sum_of(result, "copy", "lines") > 0, engines) << mover;
        EXPECT_EQ(sum_of(result, "bulk", "lines") > 0, bulk) << mover;
        if (engines) {
            EXPECT_EQ(sum_of(result, "gpu", "lines"), 0u);
            EXPECT_EQ(sum_of(result, "copy", "signals"), 64u);
        }
    }
}

TEST(MoverRun, AKernelBesideRunsUntilTheCollectiveIsOver)
{
    // On few units, so that the links do not hide what it costs.
    const auto on_four_units = [](const std::string& more) {
        return run(gather(more).with("gpu.compute_units=4").with("link.bandwidth=400 GB/s").with("engine.channels=4"));
    };
    const Json alone = on_four_units("");
    EXPECT_TRUE(alone["beside"].is_null());
    const Json both = on_four_units("beside: 'gemm:256,256,128,64'");
    ASSERT_EQ(both.value("verified", ""), "passed") << both.dump().substr(0, 300);
    EXPECT_EQ(both["beside"]["kernel"], "gemm:256,256,128,64");
    EXPECT_GE(both["beside"]["finished"], 2);
    EXPECT_GT(both["simulated_ps"], alone["simulated_ps"]);
    const double flops = 2.0 * 256 * 256 * 128 * 1e12 / both["beside"]["mean_ps"].get<double>();
    EXPECT_NEAR(both["beside"]["flops"].get<double>(), flops, 1e-4 * flops);
}

// Four tiles with k = 1024 on four units take longer than the collective, which has its own causes of waiting alone.
TEST(MoverRun, CausesOfWaitingAreThoseOfTheCollectiveAlone)
{
    const auto causes = [](const Json& result) {
        std::uint64_t sum = 0;
        for (const auto& [cause, time] : result["ranks"][0]["stall_ps"].items()) sum += time.get<std::uint64_t>();
        return sum;
    };
    const RunSetup few = gather("beside: 'gemm:256,256,1024'").with("gpu.compute_units=4").with("engine.channels=4");
    const Json both = run(few);
    ASSERT_EQ(both.value("verified", ""), "passed") << both.dump().substr(0, 300);
    EXPECT_GT(both["beside"]["end_ps"], both["simulated_ps"]);
    EXPECT_GT(causes(both), 0U);
    EXPECT_LE(causes(both), both["simulated_ps"].get<std::uint64_t>());
    // Of the unit's own statistics they are a part.
    EXPECT_GT(sum_of(both, "gpu", "time_compute"), 0U);
    EXPECT_EQ(both["ranks"][0]["stall_ps"]["compute"], 0);
}

TEST(MoverRun, WhatIsNoKernelIsRefused)
{
    const Json result = run(gather("beside: 'gemm:256,256'"));
    EXPECT_NE(result.value("refused", "").find("'gemm:256,256' is not a kernel; expected gemm:M,N,K"),
        std::string::npos)
        << result.dump();
}

}  // namespace mover_run_test
