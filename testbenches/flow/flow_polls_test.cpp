// When threads that wait for flags find them, at flow fidelity.
#include <gtest/gtest.h>

#include <cmath>

#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace flow_polls_test {

using namespace weft;
using namespace weft::testing;

namespace {

// How much longer flow takes than lines, in per cent.
double error_of(const std::string& system, const std::string& profile, const std::string& workload)
{
    RunSetup setup;
    setup.document = example(system);
    setup.lines = "profile: " + profile + "\n" + workload;
    setup.sets = {"engine.channels=4"};
    setup.options.data_on = false;
    setup.options.progress = false;
    const double lines = run(setup)["simulated_ps"].get<double>();
    return 100 * (static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps) / lines - 1);
}

}  // namespace

// Ranks are in step, so that every flag comes at the same time of a polling period: half a period late was 30 to 52 % too slow.
TEST(FlowPolls, BarriersFindFlagsByThePollBehindThem)
{
    for (const std::string algorithm : {"ring", "tree", "dissemination"}) {
        SCOPED_TRACE(algorithm);
        // By default a ring on one of the systems, a tree on the other, and the third on both.
        const bool all = test::thorough() || algorithm == "dissemination";
        if (all || algorithm == "ring") {
            EXPECT_LT(std::abs(error_of("mesh_mi300x", "mi300x", collective_lines("barrier", algorithm, "0 B"))), 0.5);
        }
        // The flags of a divided cache are near for some ranks and far for others.
        if (all || algorithm == "tree") {
            EXPECT_LT(std::abs(error_of("dgx_h100", "h100", collective_lines("barrier", algorithm, "0 B"))), 1.5);
        }
    }
}

// With one thread that has data, the others only signal.
TEST(FlowPolls, SoDoCollectivesOfALineABlock)
{
    EXPECT_LT(std::abs(error_of("mesh_mi300x", "mi300x", collective_lines("all_reduce", "ring", "64 B"))), 0.5);
    EXPECT_LT(std::abs(error_of("dgx_h100", "h100", collective_lines("all_reduce", "ring", "64 B"))), 1);
}

}  // namespace flow_polls_test
