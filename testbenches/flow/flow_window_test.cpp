// Limits of a unit at flow fidelity: registers, requests in flight, and what input costs that comes from memory. Expected times follow
// from Little's law: bytes / limit x round trip.
#include <gtest/gtest.h>

#include <string>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_window_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr double kib = 1024;

RunSetup one_channel(const std::string& op, const std::string& algorithm, const std::string& bytes)
{
    RunSetup out;
    out.document = example("dgx_h100");
    out.lines = "profile: h100\n" + collective_lines(op, algorithm, bytes);
    out.sets = {"engine.channels=1"};
    out.options.progress = out.options.data_on = false;
    return out;
}

RunResult result_of(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }
double flow_us(const RunSetup& setup) { return static_cast<double>(result_of(setup).simulated_ps) / 1e6; }

double share_of(const RankResult& rank, const std::string& cause)
{
    double all = 0;
    double of = 0;
    for (const auto& [name, time] : rank.stall_ps) {
        all += static_cast<double>(time);
        if (name == cause) of += static_cast<double>(time);
    }
    return of / all;
}

constexpr double round_us = 0.826;  // a load from a peer, there and back; 0.142 from the own cache
constexpr double outstanding = 512 * 64;

}  // namespace

// 7 x 512 KiB by one unit.
TEST(FlowWindow, LoadsAreLimitedByRegistersThenByRequestsInFlight)
{
    const RunSetup setup = one_channel("all_gather", "direct_get", "4 MiB");
    const double bytes = 7 * 512 * kib;
    for (const double unroll : {1.0, 2.0}) {
        const double expected = bytes / (16 * 512 * unroll) * round_us;
        EXPECT_NEAR(flow_us(setup.with("engine.unroll=" + std::to_string(static_cast<int>(unroll)))) / expected, 1.06,
            0.05);
    }
    // With 32 KiB of registers requests in flight are the limit; their places are taken by what is stored, too.
    const double limited = (bytes + bytes * 0.142 / round_us) / outstanding * round_us;
    EXPECT_NEAR(flow_us(setup.with("engine.unroll=8")) / limited, 1.06, 0.05);
    EXPECT_NEAR(flow_us(setup.with("engine.unroll=4")) / limited, 1.06, 0.05);
    EXPECT_LT(flow_us(setup.with("engine.unroll=8").with("gpu.outstanding=2048")), 0.55 * limited);
}

// Each shard is loaded from seven peers, added up and stored at seven: both take places.
TEST(FlowWindow, StoresOfWhatIsLoadedTakePlacesToo)
{
    const RunSetup setup = one_channel("all_reduce", "two_shot_get", "4 MiB");
    const double own = 2 * 512 * kib * 0.142 / round_us;
    const double expected = (14 * 512 * kib + own) / outstanding * round_us;
    EXPECT_NEAR(flow_us(setup) / expected, 1.06, 0.06);
    EXPECT_NEAR(flow_us(setup.with("gpu.outstanding=256")) / flow_us(setup), 2, 0.05);
    EXPECT_NEAR(flow_us(setup.with("engine.unroll=8")) / flow_us(setup), 1, 0.02);  // not registers
}

// A unit whose stores wait at the link of one peer has no places for the next: three blocks over links of their own go one after the
// other but for what a unit may have in flight.
TEST(FlowWindow, StoresThatWaitAtOneLinkHoldUpThoseForOthers)
{
    RunSetup setup = one_channel("scatter", "direct", "1 MiB");
    setup.document = mesh_document(4);
    setup.lines =
        "links:\n  wire: {protocol: nvlink_4, merge: none}\n" + collective_lines("scatter", "direct", "1 MiB");
    const double block = 262144 / 25e3 * 80 / 64;
    const double left = outstanding / 25e3 * 80 / 64;
    const double flow = flow_us(setup);
    EXPECT_GT(flow, 3 * block - 2 * left);
    EXPECT_NEAR(flow, run(setup)["simulated_ps"].get<double>() / 1e6, 0.08 * flow);
    EXPECT_LT(flow_us(setup.with("gpu.outstanding=16384").with("engine.unroll=16")), 0.6 * flow);
}

// Moves to several peers share the limit: eight times 64 KiB are no better off than one of 512 KiB.
TEST(FlowWindow, ConsecutiveStoresShareTheLimit)
{
    const RunSetup setup = one_channel("all_gather", "direct", "512 KiB");
    const double expected = 7 * 64 * kib * (1 + 0.142 / round_us) / outstanding * round_us;
    EXPECT_NEAR(flow_us(setup) / expected, 0.97, 0.03);  // lines: 1.04
    EXPECT_NEAR(flow_us(setup.with("gpu.outstanding=256")) / (2 * expected), 0.97, 0.03);
}

TEST(FlowWindow, WhoWaitsForTheLimitSaysSo)
{
    const RunResult both = result_of(one_channel("all_reduce", "two_shot_get", "1 MiB"));
    EXPECT_GT(share_of(both.ranks[0], "unit_outstanding"), 0.85);  // lines: 0.9
    const RunResult loads = result_of(one_channel("all_gather", "direct_get", "1 MiB"));
    EXPECT_GT(share_of(loads.ranks[0], "registers"), 0.9);  // lines: 0.96
    const RunResult stores = result_of(one_channel("all_gather", "direct", "1 MiB"));
    EXPECT_GT(share_of(stores.ranks[0], "unit_outstanding"), 0.7);
}

// Seven peers load the same input: the first finds it in memory, the others in the cache. Of a reduction each loads another part.
TEST(FlowWindow, InputComesFromMemoryOnce)
{
    const auto longer = [](const RunSetup& setup) {
        return flow_us(setup.with("hbm.response_latency=570 ns")) / flow_us(setup) - 1;  // 500 ns more
    };
    const double slower = 0.5 / round_us;
    EXPECT_NEAR(longer(one_channel("all_gather", "direct_get", "4 MiB")), slower / 7, 0.03);
    EXPECT_GT(longer(one_channel("reduce_scatter", "direct_get", "4 MiB")), 0.5 * slower);
}

TEST(FlowWindow, TwoRunsAreEqual)
{
    for (const char* algorithm : {"direct", "two_shot_get", "one_shot_get"})
        EXPECT_EQ(flow_us(one_channel("all_reduce", algorithm, "256 KiB")),
            flow_us(one_channel("all_reduce", algorithm, "256 KiB")));
}

// Two blocks of 255 lines fit into 512 places, as does the second of two of 257 but for its last two lines, which wait for a round trip. Of
// blocks of 236 lines and a bit each instruction stores nine lines in place of eight: 531.
TEST(FlowWindow, StoresThatFitWaitForNoPlace)
{
    RunSetup setup = one_channel("all_gather", "direct", "");
    setup.document = mesh_document(3);
    setup.sets.emplace_back("link.latency=1us");
    const auto of = [&](const std::string& bytes) {
        RunSetup each = setup;
        each.lines = "profile: generic\n" + collective_lines("all_gather", "direct", bytes);
        const double flow = flow_us(each);
        EXPECT_NEAR(flow / (run(each)["simulated_ps"].get<double>() / 1e6), 1, 0.06) << bytes;
        return flow;
    };
    const double fits = of("48960 B");
    EXPECT_NEAR(of("45 KiB"), fits, 0.1);
    EXPECT_NEAR(of("48 KiB"), fits, 0.1);
    EXPECT_GT(of("49344 B"), fits + 1.5);
    EXPECT_GT(of("45376 B"), fits + 1.5);
}

}  // namespace flow_window_test
