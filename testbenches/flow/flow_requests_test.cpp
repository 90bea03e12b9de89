// Requests of loads that travel ahead of their data, starts of messages at cards, and steps in switches over several planes.
#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_requests_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup on(const std::string& document, const std::string& op, const std::string& algorithm, const std::string& bytes,
    const std::string& profile = "h100")
{
    RunSetup out;
    out.document = document;
    out.lines = "profile: " + profile + "\n" + collective_lines(op, algorithm, bytes);
    out.options.progress = out.options.data_on = false;
    return out;
}

RunSetup dgx(const std::string& algorithm) { return on(example("dgx_h100"), "all_reduce", algorithm, "256 KiB"); }

std::string compared(const std::string& name)
{
    return std::string(WEFT_SOURCE_DIR) + "/testbenches/flow/accuracy/" + name + ".yaml";
}

double flow_ps(const RunSetup& setup)
{
    return static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps);
}

}  // namespace

// Theory: of n ranks that all load from rank 0 first, then from rank 1, those of higher numbers wait: where nothing runs ahead, one owner
// after the other serves n-1, n-2, .. peers. With room for all requests all owners serve at once.
TEST(FlowRequests, RoomForRequestsDecidesHowManyOwnersServe)
{
    const RunSetup star = on(star_document(4), "all_reduce", "one_shot_get", "256 KiB", "generic");
    const double own = flow_ps(star);
    const double ample = flow_ps(star.with("link.request_credits=60000"));
    EXPECT_GT(own / ample, 1.3);
    EXPECT_LT(own / ample, 2.1);  // (3 + 2 + 1) / 3 at most
}

// Where the model is known to be far from lines, a run says so.
TEST(FlowRequests, ManyRanksThatLoadFromOneFirstAreSaid)
{
    const auto said = [](std::size_t ranks, const std::string& algorithm) {
        const RunSetup setup = on(star_document(ranks), "all_reduce", algorithm, "4 KiB").with("engine.channels=1");
        const RunResult result = run_flow(resolve_setup(setup), setup.options);
        std::string out;
        for (const std::string& notice : result.notices)
            if (notice.find("load the same data of one rank") != std::string::npos)
                out += notice.substr(0, notice.find('('));
        return out;
    };
    EXPECT_EQ(said(16, "one_shot_get"), "");
    EXPECT_EQ(said(17, "one_shot_get"),
        "16 ranks load the same data of one rank first, where flow differs from lines: times are up to twice too "
        "long or 40 % too short ");
    EXPECT_EQ(said(65, "one_shot_get"),
        "64 ranks load the same data of one rank first, where flow differs from lines: all owners "
        "serve at once, so times are up to three times too short ");
    EXPECT_EQ(said(32, "two_shot_get"), "");
    EXPECT_EQ(said(32, "ring"), "");
}

TEST(FlowRequests, FewerCreditsOrLinesInFlightTakeLonger)
{
    const RunSetup setup = dgx("one_shot_get");
    const double own = flow_ps(setup);
    EXPECT_GT(flow_ps(setup.with("link.request_credits=128")), 1.2 * own);
    EXPECT_LT(flow_ps(setup.with("link.request_credits=60000")), 0.9 * own);
    EXPECT_GT(flow_ps(setup.with("gpu.outstanding=64")), 1.05 * own);
    EXPECT_GT(flow_ps(setup.with("link.header=32")), 1.05 * own);
}

// Ranks that begin with different owners need little room.
TEST(FlowRequests, LoadsThatAreSpreadDoNotNeedIt)
{
    const RunSetup setup = dgx("two_shot_get");
    EXPECT_NEAR(flow_ps(setup.with("link.request_credits=60000")) / flow_ps(setup), 1, 0.03);
}

TEST(FlowRequests, APacketThatIsCutShortCostsItsOverhead)
{
    const RunSetup setup =
        on(compared("torus_16"), "reduce_scatter", "direct_get", "256 KiB").with("routing.cycles=allow");
    const double own = flow_ps(setup);
    EXPECT_GT(flow_ps(setup.with("link.packet_overhead=250")), 1.05 * own);
    EXPECT_LT(flow_ps(setup.with("link.packet_overhead=0")), own);
}

TEST(FlowRequests, ACardStartsOneMessageAfterTheOther)
{
    for (const char* algorithm : {"direct", "direct_get"}) {
        const RunSetup setup = on(example("two_hosts"), "all_gather", algorithm, "4 KiB");
        const double at_once = flow_ps(setup.with("switch.message_interval=0"));
        EXPECT_GE(flow_ps(setup), at_once) << algorithm;
        EXPECT_GT(flow_ps(setup.with("switch.message_interval=100 ns")), at_once + 200e3) << algorithm;
    }
}

TEST(FlowRequests, TwoRunsAreEqual)
{
    for (const RunSetup& setup : {dgx("one_shot_get"), dgx("two_shot_get"),
             on(compared("torus_16"), "all_reduce", "one_shot_get", "64 KiB").with("routing.cycles=allow"),
             on(compared("planes_8"), "all_reduce", "nvls", "64 KiB")})
        EXPECT_EQ(flow_ps(setup.with("engine.channels=4")), flow_ps(setup.with("engine.channels=4")));
}

// Two planes carry half of the lines each: with half of the rate, a long message takes as long on each link as one plane's did.
TEST(FlowPlanes, EachPlaneTakesItsShare)
{
    const RunSetup setup = on(compared("planes_8"), "all_reduce", "push_reduce", "4 MiB");
    const double own = flow_ps(setup);
    EXPECT_NEAR(flow_ps(setup.with("links.member.bandwidth=50 GB/s")) / own, 2, 0.15);
    const RunSetup one = on(example("two_tier_8"), "all_reduce", "push_reduce", "4 MiB");
    EXPECT_NEAR(flow_ps(one) / own, 2, 0.15);
}

TEST(FlowPlanes, LeavesOfPlanesMayHaveOtherMembers)
{
    const double alike = flow_ps(on(compared("planes_8"), "all_gather", "multicast", "256 KiB"));
    EXPECT_NEAR(flow_ps(on(compared("planes_crossed_8"), "all_gather", "multicast", "256 KiB")) / alike, 1, 0.02);
}

// As by lines.
TEST(FlowPlanes, ThreeTiersAreRefused)
{
    const RunSetup setup = on(compared("three_tiers_4"), "all_reduce", "nvls", "64 KiB");
    try {
        flow_ps(setup);
        FAIL() << "three tiers were accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("nor do planes of two tiers"), std::string::npos) << error.what();
    }
    const Json by_lines = run(setup);
    ASSERT_EQ(by_lines.count("refused"), 1U);
    EXPECT_NE(by_lines["refused"].get<std::string>().find("trees of more than two tiers are not supported"),
        std::string::npos);
}

}  // namespace flow_requests_test
