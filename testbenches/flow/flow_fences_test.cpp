// Flow takes the fences that lines take, and workgroups of no more wavefronts than lines give them.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_fences_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup mesh(const std::string& op, const std::string& algorithm, const std::string& bytes,
    std::vector<std::string> sets)
{
    RunSetup out;
    out.document = mesh_document(4);
    out.lines = "profile: generic\n" + collective_lines(op, algorithm, bytes);
    out.sets = std::move(sets);
    out.sets.emplace_back("gpu.wait_policy=waiting_atomic");
    out.options.progress = out.options.data_on = false;
    return out;
}

double by_lines(const RunSetup& setup) { return run(setup).at("simulated_ps"); }

double by_flow(const RunSetup& setup)
{
    return static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps);
}

// Fences on the longest way: what 1 us of each is worth.
double fences(const RunSetup& setup, double (*time_of)(const RunSetup&))
{
    return (time_of(setup.with("gpu.fence_latency=1 us")) - time_of(setup)) / 1e6;
}

}  // namespace

// One before each step that stores packets, also where nothing is stored yet, and one more where the step takes what the thread has
// written before.
TEST(FlowFences, BeforePacketsAreAsManyAsByLines)
{
    const struct {
        const char* op;
        const char* algorithm;
        double fences;
    } cases[] = {{"all_reduce", "ring", 6}, {"all_reduce", "one_shot", 1}, {"all_reduce", "bruck", 5},
        {"all_gather", "recursive_doubling", 3}, {"broadcast", "binomial", 3}};
    const char* const polls = "gpu.spin_interval=50 ns";  // five polls of 200 ns take as long as a fence
    for (const auto& one : cases) {
        const RunSetup setup =
            mesh(one.op, one.algorithm, "256", {"engine.protocol=ll128", "engine.ll128_fence=on", polls});
        EXPECT_NEAR(fences(setup, by_lines), one.fences, 0.1) << one.algorithm;  // polls of packets end when they end
        EXPECT_NEAR(fences(setup, by_flow), one.fences, 0.02) << one.algorithm;
    }
}

// A thread tells another one of its rank by a flag, which a fence precedes as it does a flag at a peer.
TEST(FlowFences, BeforeOwnFlagsAreAsManyAsByLines)
{
    const RunSetup setup = mesh("all_reduce", "multi_dim", "16384", {});
    EXPECT_NEAR(fences(setup, by_lines), 21, 0.4);
    EXPECT_NEAR(fences(setup, by_flow), 21, 0.02);
}

TEST(FlowFences, AWorkgroupHasNoMoreWavefrontsThanAUnitHasPlaces)
{
    const RunSetup one = mesh("all_gather", "ring", "262144", {"engine.channels=4", "engine.wavefronts=1"});
    const RunSetup clamped = mesh("all_gather", "ring", "262144",
        {"engine.channels=4", "engine.wavefronts=16", "gpu.wavefronts_per_unit=1", "gpu.workgroups_per_unit=1"});
    EXPECT_EQ(by_flow(clamped), by_flow(one.with("gpu.workgroups_per_unit=1")));
    EXPECT_GT(by_flow(clamped), 1.2 * by_flow(clamped.with("gpu.wavefronts_per_unit=16")));
}

}  // namespace flow_fences_test
