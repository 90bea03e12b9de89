// Replay GPUs in whole runs: what was recorded comes back to the picosecond, and hand-written profiles do what they say.
#include <set>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "sc_models/memory/hbm_spec.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"

namespace replay_test {

using namespace weft;
using namespace weft::testing;

namespace {

const char* const header = "gpu,time,to,kind,at,bytes,gap,repeat,value,after_flag,after_value,jitter\n";

std::string recorded(RunSetup setup)
{
    setup.options.record = true;
    return in_timed_child([&] { return run_here(setup).record; }, 100);
}

// All accelerators but `full` replay `file`.
std::string bind_lines(const std::string& file, const std::string& full)
{
    return "bind:\n- {nodes: {type: xpu}, model: replay, traffic: \"" + file + "\"}\n- {nodes: \"" + full +
        "\", model: gpu}\n";
}

struct Recording {
    explicit Recording(RunSetup what) : setup(std::move(what))
    {
        setup.options.data_on = false;
        write_text_file(file(), recorded(setup));
        full = run(setup);
    }
    std::string file() const { return folder.file("recorded.csv"); }
    Json replayed(std::size_t rank) const
    {
        RunSetup again = setup;
        again.lines += bind_lines(file(), full["ranks"][rank]["node"]);
        return run(again);
    }

    RunSetup setup;
    test::ScratchFolder folder;
    Json full;
};

void expect_same_end_of_every_rank(const RunSetup& setup)
{
    const Recording recording(setup);
    for (std::size_t rank = 0; rank < recording.full["ranks"].size(); ++rank) {
        const Json again = recording.replayed(rank);
        EXPECT_EQ(again["stop"], "finished") << again.dump();
        EXPECT_EQ(again["ranks"][rank]["finish_ps"], recording.full["ranks"][rank]["finish_ps"]) << "rank " << rank;
        EXPECT_EQ(again["verified"], "off");
        EXPECT_EQ(again["ranks"][rank]["stall_ps"], recording.full["ranks"][rank]["stall_ps"]) << "rank " << rank;
    }
}

// Slices so fast that lines of a GPU's own do not hold up those of others: what a replay GPU leaves out.
RunSetup box(const std::string& workload)
{
    return {example("dgx_h100"), workload, {"l2.bandwidth=1000TB/s", "network.slice_rate=0 GB/s"}, {}, {}, {}};
}

// `count` accelerators around a switch; the lines of a profile for all but the first `full`.
struct Star {
    Star(unsigned count, unsigned full, const std::string& rows, const std::string& workload = "")
    {
        write_text_file(file(), header + rows);
        setup.document = star_document(count);
        setup.lines = workload.empty()
            ? collective_lines("all_gather", "direct", "64KiB", "ranks: " + std::to_string(full))
            : workload;
        setup.lines += "engine: {channels: 4}\nbind:\n- {nodes: {type: xpu}, traffic: \"" + file() + "\"}\n";
        for (unsigned rank = 0; rank < full; ++rank)
            setup.lines += "- {nodes: b.0.xpu." + std::to_string(rank) + ", model: gpu}\n";
    }
    std::string file() const { return folder.file("rows.csv"); }

    test::ScratchFolder folder;
    RunSetup setup;
};

}  // namespace

TEST(ReplayRun, RingOfEightEndsAtTheSamePicosecondAtEveryRank)
{
    expect_same_end_of_every_rank(box(collective_lines("all_reduce", "ring", "256KiB")));
}

TEST(ReplayRun, TwoShotAllReduceEndsAtTheSamePicosecondAtEveryRank)
{
    expect_same_end_of_every_rank(box(collective_lines("all_reduce", "direct", "256KiB")));
}

TEST(ReplayRun, OneShotAllGatherEndsAtTheSamePicosecondAtEveryRank)
{
    expect_same_end_of_every_rank(box(collective_lines("all_gather", "direct", "256KiB")));
}

// A replay GPU has no queue at its slices. What an answer comes earlier by can give a bank another row first (and with
// refreshes, which are off here, a line its turn before one instead of after it).
TEST(ReplayRun, WithSlicesOfTheH100TheDifferenceIsLessThanARowCycle)
{
    const HbmSpec dram;
    RunSetup setup = box(collective_lines("all_reduce", "ring", "256KiB"));
    setup.sets = {"hbm.refresh=none"};
    const Recording recording(setup);
    for (std::size_t rank = 0; rank < 8; ++rank) {
        const auto before = recording.full["ranks"][rank]["finish_ps"].get<double>();
        const auto after = recording.replayed(rank)["ranks"][rank]["finish_ps"].get<double>();
        EXPECT_NEAR(after, before, static_cast<double>(dram.t_ras + dram.t_rp)) << "of " << before;
    }
}

TEST(ReplayRun, RecordingChangesNothingAndIsTheSameTwice)
{
    RunSetup setup = box(collective_lines("all_reduce", "ring", "64KiB"));
    const Json plain = run(setup);
    EXPECT_EQ(recorded(setup), recorded(setup));
    setup.options.record = true;
    setup.options.check_protocol = true;
    const Json taped = run(setup);
    EXPECT_EQ(taped["simulated_ps"], plain["simulated_ps"]);
    EXPECT_EQ(taped["line_hops"], plain["line_hops"]);
    EXPECT_EQ(taped["verified"], "passed");
    EXPECT_EQ(taped["exit_code"], 0);
}

TEST(ReplayRun, RecordsWhatTheScheduleSends)
{
    RunSetup setup = box(collective_lines("all_reduce", "ring", "1MiB"));
    const std::string text = recorded(setup);
    std::uint64_t bytes = 0;
    std::uint64_t flags = 0;
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
        const std::string row = text.substr(at, text.find('\n', at) - at);
        if (row.find("dgx.0.xpu.3,") != 0) continue;
        if (row.find(",flag,") != std::string::npos) {
            ++flags;
        } else {
            const std::size_t place = row.find(",0x");
            bytes += std::stoull(row.substr(row.find(',', place + 1) + 1));
        }
    }
    EXPECT_EQ(bytes, 14U * (1U << 20U) / 8);  // 2 (n - 1) / n of the message
    EXPECT_EQ(flags, 448U);                   // 14 steps of 32 channels
}

TEST(ReplayRun, CheckersAreSilent)
{
    Star star(4, 1,
        "*,0,0,write,0x10000,8 KiB,,,,,,5 ns\n*,100 ns,+1,write,0x20000,8 KiB,300,2,,,,\n*,5 ns,+1,read,0,100,,,,,,\n");
    star.setup.options.check_protocol = true;
    const Json result = run(star.setup);
    EXPECT_EQ(result["stop"], "finished") << result.dump();
    EXPECT_EQ(result["exit_code"], 0) << result.dump();
}

TEST(ReplayRun, BuffersLieWhereTheyLieInAFullRun)
{
    RunSetup setup{star_document(2), "engine: {channels: 1}\n" + collective_lines("all_gather", "direct", "8KiB"), {},
        {}, {}, {}};
    const Recording recording(setup);
    const Json taped = recording.replayed(0);
    ASSERT_EQ(taped["stop"], "finished") << taped.dump();
    // What rank 1 sends goes to the second half of the output, which lies behind the input.
    const std::string text = read_text_file(recording.file());
    const std::string columns = text.substr(0, text.find('\n') + 1);
    const std::string place = ",write,0x2000,";
    std::string rows;
    for (std::size_t at = columns.size(); at < text.size(); at = text.find('\n', at) + 1)
        if (text.compare(at, 10, "b.0.xpu.1,") == 0) rows += text.substr(at, text.find('\n', at) - at + 1);
    ASSERT_NE(rows.find(place), std::string::npos) << text;
    for (const std::string other : {"output+4096", "output + 0x1000", "8192"}) {
        std::string renamed = rows;
        renamed.replace(renamed.find(place), place.size(), ",write," + other + ",");
        Star star(2, 1, "", collective_lines("all_gather", "direct", "8KiB"));
        write_text_file(star.file(), columns + renamed);
        const Json result = run(star.setup.with("engine.channels=1"));
        EXPECT_EQ(result["ranks"], taped["ranks"]) << other;
    }
}

TEST(ReplayRun, AClosedLoopFollowsTheFullGpu)
{
    // Rank 1 signals 2 us after rank 0 has signalled it, whenever that is.
    const std::string rows = "1,2 us,0,flag,0,,,,,0,1,\n";
    const auto end = [&](const std::string& launch) {
        Star star(2, 1, rows, collective_lines("barrier", "direct", "0"));
        const Json result = run(star.setup.with("engine.channels=1")
                                    .with("gpu.wait_policy=waiting_atomic")
                                    .with("gpu.launch_latency=" + launch));
        EXPECT_EQ(result["stop"], "finished") << result.dump();
        return result["ranks"][0]["finish_ps"].get<Time>();
    };
    EXPECT_EQ(end("5us"), end("1us") + 4'000'000);
    EXPECT_GT(end("1us"), Time{3'000'000});
}

TEST(ReplayRun, JitterFollowsTheSeedAndStaysInItsRange)
{
    const auto end = [](const std::string& jitter, unsigned seed) {
        Star star(3, 1, "1,1 us,2,write,0,64,,,,,," + jitter + "\n",
            collective_lines("barrier", "direct", "0", "ranks: 1"));
        star.setup.lines += "seed: " + std::to_string(seed) + "\n";
        return run(star.setup)["ranks"][1]["finish_ps"].get<Time>();
    };
    const Time without = end("", 1);
    std::set<Time> ends;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        ends.insert(end("500 ns", seed));
        EXPECT_EQ(end("500 ns", seed), end("500 ns", seed));
    }
    EXPECT_EQ(ends.size(), 6U);
    EXPECT_GE(*ends.begin(), without);
    EXPECT_LE(*ends.rbegin(), without + 500'000);
}

TEST(ReplayRun, TrafficBesideACollectiveSlowsItDown)
{
    const auto end = [](const std::string& rows) {
        Star star(6, 2, rows);
        const Json result = run(star.setup);
        EXPECT_EQ(result["stop"], "finished") << result.dump();
        EXPECT_EQ(result["ranks"].size(), 6U);
        EXPECT_EQ(result["collectives"][0]["ranks"], 2);
        return result["collectives"][0]["end_ps"].get<Time>();
    };
    const Time alone = end("2,0,3,write,0x100000,64 KiB,,,,,,\n");
    EXPECT_EQ(end(""), alone);
    // Four senders share the link of rank 0 evenly with rank 1: nobody ends much before 5 x 32 KiB have passed.
    const Time shared = end("*,0,0,write,0x100000,32 KiB,,,,,,\n");
    EXPECT_LT(alone, 3'500'000);
    EXPECT_GT(shared, 5 * 32768 * 80 / 64 / 25 * Time{1000});
}

TEST(ReplayRun, ARowThatNobodyReleasesIsNamed)
{
    for (const std::string policy : {"spin", "monitor"}) {
        Star star(2, 1, "1,0,0,flag,0,,,,,5,3,\n", collective_lines("barrier", "direct", "0"));
        const Json result = run(star.setup.with("engine.channels=1").with("gpu.wait_policy=" + policy));
        EXPECT_EQ(result["stop"], "deadlock");
        EXPECT_EQ(result["exit_code"], 3);
        const std::string who = result["blocked"].dump();
        EXPECT_NE(who.find("b.0.xpu.1: " + star.file() + ":2 waits for value 3 of flag 5, which has 0"),
            std::string::npos)
            << who;
        EXPECT_NE(who.find("waits for signal 1 of semaphore 0 from rank 1"), std::string::npos) << who;
    }
}

TEST(ReplayRun, SaysThatNothingIsVerified)
{
    Star star(6, 2, "");
    const Json result = run(star.setup);
    EXPECT_EQ(result["verified"], "off");
    EXPECT_EQ(result["exit_code"], 0);
    EXPECT_NE(
        result["notices"].dump().find(
            "4 replay GPUs take part in addition to the workload: they send no data, so the result is not verified"),
        std::string::npos)
        << result["notices"].dump();
    EXPECT_TRUE(result["alpha_beta"].is_null());
}

TEST(ReplayRun, MistakesHaveFileAndLine)
{
    const std::vector<std::pair<std::string, std::string>> cases{
        {"*,0,b.0.xpu.9,write,0,64,,,,,,\n",
            "'b.0.xpu.9' is not a GPU of this run; expected a node name, +1 or -1, or a rank below 6"},
        {"*,0,6,write,0,64,,,,,,\n", "'6' is not a GPU of this run"},
        {"b.0.xpu.44,0,0,write,0,64,,,,,,\n",
            "'b.0.xpu.44' is not a GPU of this run; expected a node name, or a rank below 6"},
        {"+1,0,0,write,0,64,,,,,,\n", "'gpu' is '+1'; expected a node name, a rank or *"},
        {"b.0.sw.0,0,b.0.sw.0,write,0,64,,,,,,\n", "'b.0.sw.0' takes no part in this run"},
        {"2,0,2,write,0,64,,,,,,\n", "b.0.xpu.2 is the source and the destination of the row; expected another GPU"},
        {"*,0,+6,write,0,64,,,,,,\n", "b.0.xpu.2 is the source and the destination of the row; expected another GPU"},
        {"2,0,0,write,200 GB,64,,,,,,\n", "'at' is '200 GB'"},
        {"2,0,0,write,0xffffffffff,64,,,,,,\n",
            "64 bytes at 0xffffffffff are beyond the memory of b.0.xpu.0; expected addresses below "},
        {"2,0,0,write,output+0x10000,64,,,,,,\n",
            "64 bytes at output+65536 of b.0.xpu.0 are in no buffer of the collective"},
        {"2,0,0,write,scratch,64,,,,,,\n", "64 bytes at scratch+0 of b.0.xpu.0 are in no buffer of the collective"},
        {"2,0,3,write,input,64,,,,,,\n", "64 bytes at input+0 of b.0.xpu.3 are in no buffer of the collective"},
    };
    for (const auto& [rows, expected] : cases) {
        Star star(6, 2, rows);
        const Json result = run(star.setup);
        const std::string error = result.value("refused", result.dump());
        EXPECT_EQ(error.rfind(star.file() + ":2: " + expected, 0), 0U) << error;
    }
    Star star(6, 2, "");
    RunSetup setup = star.setup;
    setup.lines.replace(setup.lines.find(star.file()), star.file().size(), "/nowhere/rows.csv");
    EXPECT_NE(run(setup).value("refused", "").find("/nowhere/rows.csv"), std::string::npos);
}

TEST(ReplayRun, RowsOfGpusThatAreFullAreLeftOut)
{
    Star star(3, 1, "0,0,1,write,0,64,,,,,,\n2,0,1,write,0,64,,,,,,\n",
        collective_lines("barrier", "direct", "0", "ranks: 1"));
    const Json result = run(star.setup);
    EXPECT_EQ(result["stop"], "finished");
    EXPECT_EQ(result["lines"], 1);
}

TEST(ReplayRun, ARingOfFlagsThatAFullGpuBreaksIsNamed)
{
    // Everybody signals its neighbour, and the one before it when it has been signalled.
    Star star(64, 4,
        "*,1 us,+1,write,0x1000000,16 KiB,10 ns,,,,,1 us\n*,1 us,+1,flag,100,,,,,,,\n*,0,-1,flag,101,,,,,100,1,\n");
    const Json result = run(star.setup, 200);
    EXPECT_EQ(result["stop"], "deadlock");
    EXPECT_EQ(result["blocked"],
        Json::parse("[\"b.0.xpu.4: " + star.file() + ":4 waits for value 1 of flag 100, which has 0\"]"));
}

TEST(ReplayRun, TheFleetOfTheExamplesConservesItsLines)
{
    RunSetup setup;
    setup.document = example("replay_fleet");
    const std::string rows = setup.document.substr(0, setup.document.rfind('/')) + "/neighbours.csv";
    setup.lines = collective_lines("all_reduce", "ring", "64KiB", "ranks: 4") +
        "bind:\n- {nodes: {type: xpu}, traffic: \"" + rows + "\"}\n- {nodes: \"host.0.xpu.*\", model: gpu}\n";
    const Json result = run(setup, 200);
    ASSERT_EQ(result["stop"], "finished") << result["blocked"].dump();
    EXPECT_EQ(result["collectives"][0]["ranks"], 4);
    EXPECT_EQ(result["ranks"].size(), 260U);
    unsigned replays = 0;
    double answered = 0;
    for (const Json& module : result["modules"]) {
        if (module["kind"] != "replay") continue;
        ++replays;
        EXPECT_EQ(module["stats"]["lines"]["value"], 256 + 1 + 16 + 16) << module.dump();
        EXPECT_EQ(module["stats"]["rows"]["value"], 4);
        answered += module["stats"]["answered"]["value"].get<double>();
    }
    EXPECT_EQ(replays, 256U);
    // All but what goes to the full GPUs: from ranks 256 to 259 by +4, 252 to 255 by +8, 4 to 7 by -4.
    EXPECT_EQ(answered, 256 * 289 - 4 * 257 - 4 * 16 - 4 * 16);
}

}  // namespace replay_test
