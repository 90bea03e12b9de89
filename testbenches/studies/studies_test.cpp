// Each case study says what can be learned from it: that is so, on a small version of its runs.
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/process.h"

namespace studies_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

struct Point {
    double time = 0;  // ps
    std::map<std::string, double> columns;
};

// The points of a sweep of a study's system, by the values of its keys in the order given, joined by blanks.
std::map<std::string, Point> sweep(const std::string& study, const std::vector<std::string>& more)
{
    std::vector<std::string> arguments{"sweep", "examples/" + study + "/system.yaml", "--no-data", "--json", "-"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::map<std::string, Point> out;
    const json table = json::parse(outcome.out, nullptr, false);
    if (!table.is_object()) return out;
    for (const json& point : table["points"]) {
        std::string name;
        for (const json& key : table["keys"])
            name += (name.empty() ? "" : " ") + point["parameters"][key.get<std::string>()].get<std::string>();
        Point& entry = out[name];
        entry.time = point["time_ps"].is_number() ? point["time_ps"].get<double>() : 0;
        for (const auto& [column, value] : point["columns"].items()) entry.columns[column] = value.get<double>();
    }
    return out;
}

}  // namespace

TEST(StudyWaiting, SpinningReadsGrowWithTheWaitAndThoseOfTheOthersDoNot)
{
    auto points = sweep("study_waiting",
        {"--over", "gpu.wait_policy=spin,backoff,monitor,waiting_atomic", "--over", "delay=7=0us,7=10us,7=20us",
            "--column", "gpu.flag_reads"});
    const auto reads = [&](const std::string& policy, const std::string& late) {
        return points[policy + " 7=" + late + "us"].columns["gpu.flag_reads"];
    };
    const double first = reads("spin", "10") - reads("spin", "0");
    const double second = reads("spin", "20") - reads("spin", "10");
    EXPECT_NEAR(second / first, 1, 0.05);
    // 7 ranks of 32 workgroups, each a read of the one flag that is missing every 142 + 20 ns; they do not all wait all the time.
    const double all_waiting = 7 * 32 * 10'000.0 / 162;
    EXPECT_LT(second, all_waiting);
    EXPECT_GT(second, 0.85 * all_waiting);
    EXPECT_LT(reads("backoff", "20") - reads("backoff", "0"), 0.2 * (reads("spin", "20") - reads("spin", "0")));
    EXPECT_LT(reads("monitor", "20"), 1.25 * reads("monitor", "0"));
    EXPECT_EQ(reads("waiting_atomic", "20"), reads("waiting_atomic", "0"));
}

TEST(StudyWaiting, PollsCrossLinksOnlyToFlagsOfOthers)
{
    auto points = sweep("study_waiting",
        {"--over", "engine.flag_home=waiter,signaller", "--over", "gpu.wait_policy=spin,backoff,monitor,waiting_atomic",
            "--column", "link.flag_bytes"});
    const auto bytes = [&](const std::string& home, const std::string& policy) {
        return points[home + " " + policy].columns["link.flag_bytes"];
    };
    for (const char* policy : {"spin", "backoff", "monitor", "waiting_atomic"}) {
        EXPECT_EQ(bytes("waiter", policy), 0) << policy;
        EXPECT_LE(bytes("signaller", "waiting_atomic"), bytes("signaller", policy)) << policy;
        EXPECT_LE(bytes("signaller", policy), bytes("signaller", "spin")) << policy;
    }
    // A trip for each of the two waits of a workgroup, at most.
    for (const char* policy : {"spin", "waiting_atomic"}) {
        const double more =
            points[std::string("signaller ") + policy].time - points[std::string("waiter ") + policy].time;
        EXPECT_GT(more, -10e3) << policy;
        EXPECT_LT(more, 2 * 700e3) << policy;
    }
    // One after another, each of the fourteen takes one.
    auto serial =
        sweep("study_waiting", {"--over", "engine.flag_home=waiter,signaller", "--set", "engine.poll_lanes=1"});
    EXPECT_GT(serial["signaller"].time, serial["waiter"].time + 5e6);
}

// A wake-up that a monitor has missed costs its time-out; a waiting atomic misses none, whatever the time-out.
TEST(StudyWaiting, TheRaceOfTheMonitorIsRecoveredByItsTimeOut)
{
    auto points = sweep("study_waiting",
        {"--over", "gpu.wait_policy=monitor,waiting_atomic", "--over", "l2.monitor_timeout=10us,100us", "--column",
            "l2.flag_timeouts"});
    EXPECT_GT(points["monitor 10us"].columns["l2.flag_timeouts"], 0);
    EXPECT_GT(points["monitor 100us"].columns["l2.flag_timeouts"], 0);
    EXPECT_GT(points["monitor 100us"].time, points["monitor 10us"].time + 50e6);
    EXPECT_EQ(points["waiting_atomic 10us"].columns["l2.flag_timeouts"], 0);
    EXPECT_EQ(points["waiting_atomic 10us"].time, points["waiting_atomic 100us"].time);
    EXPECT_LT(points["waiting_atomic 10us"].time, points["monitor 10us"].time);
}

TEST(StudyUnroll, SaturatesForLargeMessagesAndDoesNothingForSmallOnes)
{
    auto unroll = sweep("study_unroll", {"--over", "bytes=16KiB,1MiB", "--over", "engine.unroll=1,2,8,16"});
    for (const char* value : {"2", "8", "16"})
        EXPECT_EQ(unroll[std::string("16KiB ") + value].time, unroll["16KiB 1"].time) << value;
    EXPECT_GT(unroll["1MiB 1"].time, 1.2 * unroll["1MiB 2"].time);
    EXPECT_GT(unroll["1MiB 2"].time, unroll["1MiB 8"].time);
    EXPECT_NEAR(unroll["1MiB 16"].time / unroll["1MiB 8"].time, 1, 0.02);

    auto limit = sweep("study_unroll",
        {"--set", "engine.unroll=8", "--over", "bytes=16KiB,1MiB", "--over", "gpu.outstanding=32,64,1024,2048"});
    for (const char* value : {"64", "1024", "2048"})
        EXPECT_EQ(limit[std::string("16KiB ") + value].time, limit["16KiB 32"].time) << value;
    EXPECT_GT(limit["1MiB 32"].time, 1.3 * limit["1MiB 64"].time);
    EXPECT_NEAR(limit["1MiB 2048"].time / limit["1MiB 1024"].time, 1, 0.02);
}

TEST(StudyPutGet, GetWinsTheReduceScatterAndPutTheAllGather)
{
    auto points = sweep("study_put_get",
        {"--ranks", "8", "--bytes", "512KiB", "--over", "collective=reduce_scatter,all_gather", "--over",
            "algorithm=direct,direct_get", "--over", "gpu.port_arbiter=arrival,round_robin"});
    for (const std::string arbiter : {" arrival", " round_robin"}) {
        EXPECT_LT(points["reduce_scatter direct_get" + arbiter].time,
            0.8 * points["reduce_scatter direct" + arbiter].time);
        EXPECT_LT(points["all_gather direct" + arbiter].time, 0.8 * points["all_gather direct_get" + arbiter].time);
    }

    // Acknowledges and flags of puts that fill the wire wait behind data.
    auto put = sweep("study_put_get",
        {"--ranks", "16", "--bytes", "2MiB", "--collective", "all_gather", "--algorithm", "direct", "--set",
            "engine.channels=60", "--over", "gpu.port_arbiter=arrival,round_robin"});
    EXPECT_GT(put["arrival"].time, 1.1 * put["round_robin"].time);
}

TEST(StudyProtocols, SimpleTakesTwoWaysAndAFenceMore)
{
    const auto points = [](const char* fence) {
        return sweep("study_protocols",
            {"--set", std::string("gpu.fence_latency=") + fence, "--over", "engine.protocol=simple,ll", "--over",
                "link.latency=250ns,2500ns", "--over", "bytes=64KiB,2MiB"});
    };
    auto plain = points("0ps");
    auto slow = points("1700ns");
    const auto more = [](auto& of, const std::string& latency, const std::string& bytes) {
        return of["simple " + latency + " " + bytes].time - of["ll " + latency + " " + bytes].time;
    };
    // A way is two links.
    EXPECT_NEAR(more(plain, "2500ns", "64KiB") - more(plain, "250ns", "64KiB"), 2 * 4'500'000.0, 300'000);
    for (const char* latency : {"250ns", "2500ns"})
        EXPECT_NEAR(more(slow, latency, "64KiB") - more(plain, latency, "64KiB"), 1'700'000, 300'000) << latency;
    // So with the longer way LL wins up to larger messages.
    EXPECT_LT(more(slow, "250ns", "2MiB"), 0);
    EXPECT_GT(more(slow, "2500ns", "2MiB"), 0);
}

TEST(StudyL2Size, ASmallCacheHandsTheCrossoverToTheRing)
{
    auto points = sweep("study_l2_size",
        {"--set", "hbm.bandwidth=100GB/s", "--set", "links.xpu_fabric.latency=70ns", "--bytes", "256KiB", "--over",
            "algorithm=one_shot,ring", "--over", "l2.size=512KiB,16MiB", "--column", "l2.write_backs"});
    EXPECT_LT(points["one_shot 16MiB"].time, points["ring 16MiB"].time);
    EXPECT_GT(points["one_shot 512KiB"].time, points["ring 512KiB"].time);
    EXPECT_EQ(points["one_shot 16MiB"].columns["l2.write_backs"], 0);
    EXPECT_GT(points["one_shot 512KiB"].columns["l2.write_backs"], 0);
}

TEST(StudyDimensions, LevelledLoadsGainAndRoundRobinOnlyWhereDimensionsAreAlike)
{
    const auto times = [](const std::string& inside, const std::string& across, const std::string& bytes = "256KiB") {
        return sweep("study_dimensions",
            {"--bytes", bytes, "--set", "links.inside.bandwidth=" + inside + " GB/s", "--set",
                "links.across.bandwidth=" + across + " GB/s", "--over",
                "engine.dimension_order=fixed,round_robin,offline_greedy"});
    };
    auto alike = times("2.5", "2.5");
    EXPECT_NEAR(alike["fixed"].time / alike["offline_greedy"].time, 1.6, 0.12);
    EXPECT_EQ(alike["round_robin"].time, alike["offline_greedy"].time);
    auto level = times("10", "2.5");
    EXPECT_EQ(level["offline_greedy"].time, level["fixed"].time);
    EXPECT_GT(level["round_robin"].time, 1.4 * level["fixed"].time);
    // Loads predict 4; the latency of 57 consecutive steps leaves 2 of it at 256 KiB, 2.5 here, 2.8 at 1 MiB.
    auto turned = times("2.5", "10", "512KiB");
    EXPECT_GT(turned["fixed"].time, 2 * turned["offline_greedy"].time);
}

}  // namespace studies_test
