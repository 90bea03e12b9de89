// Few places for loads: `gpu.outstanding` below the lines of a part.
#include <gtest/gtest.h>

#include <string>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace load_places_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Four accelerators at a switch, each of which loads 2 KiB, 32 lines, from each other one by one thread.
RunSetup four(const std::string& places)
{
    RunSetup out;
    out.document = star_document(4);
    out.lines = "profile: generic\n" + collective_lines("all_gather", "direct_get", "8 KiB");
    out.options.progress = out.options.data_on = false;
    return out.with("engine.channels=1").with("gpu.outstanding=" + places);
}

double flow_ps(const RunSetup& setup)
{
    return static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps);
}

double line_ps(const RunSetup& setup) { return run(setup)["simulated_ps"].get<double>(); }

}  // namespace

// Theory: with N places a thread loads N lines in a round trip, so 96 lines take 96 / N of them.
TEST(LoadPlaces, LinesComeAtTheLimitInEachRoundTrip)
{
    const double one = flow_ps(four("1"));
    const double two = flow_ps(four("2"));
    EXPECT_NEAR((one - two) / (two - flow_ps(four("4"))), 2, 0.01);
    for (const char* places : {"1", "3", "5", "8", "13"})
        EXPECT_NEAR(flow_ps(four(places)) / line_ps(four(places)), 1, 0.03) << places;
}

// The same of stores of what was loaded.
TEST(LoadPlaces, StoresOfWhatWasLoadedComeAtTheLimit)
{
    RunSetup setup = four("2");
    setup.lines = "profile: generic\n" + collective_lines("all_reduce", "two_shot_get", "8 KiB");
    EXPECT_NEAR(flow_ps(setup) / line_ps(setup), 1, 0.04);
}

}  // namespace load_places_test
