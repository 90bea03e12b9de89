// `weft sweep`: one table, in the order of the values, whatever ends first.
#include <algorithm>
#include <csignal>
#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/applications/sweep/sweep_table.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace sweep_test {

using namespace weft;
using namespace weft::commands_test;
using nlohmann::json;

TEST(Sweep, PrintsOneRowPerPoint)
{
    const Fixtures files;
    const std::vector<std::string> arguments{"sweep", files.pair_system(), "--over", "bytes=64KiB,4KiB", "--over",
        "link.latency=50ns,5us", "-j", "3", "--json", files.path("s.json"), "--csv", files.path("s.csv")};
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5);
    EXPECT_EQ(outcome.out.compare(0, 22, "bytes  link.latency  t"), 0) << outcome.out;

    const json table = json::parse(files.read("s.json"));
    EXPECT_EQ(table["schema"], "weft.sweep/1");
    EXPECT_EQ(table["keys"], (json{"bytes", "link.latency"}));
    ASSERT_EQ(table["points"].size(), 4u);
    EXPECT_EQ(table["points"][1]["parameters"], (json{{"bytes", "64KiB"}, {"link.latency", "5us"}}));
    for (const json& point : table["points"]) {
        EXPECT_EQ(point["exit"], 0);
        EXPECT_EQ(point["stop"], "finished");
        EXPECT_EQ(point["verified"], "passed");
        EXPECT_TRUE(point["message"].is_null());
        EXPECT_GT(point["busbw_GBps"], 0.0);
    }
    EXPECT_GT(table["points"][1]["time_ps"], table["points"][0]["time_ps"]);

    const std::string csv = files.read("s.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
        "bytes,link.latency,time_ps,algbw_GBps,busbw_GBps,verified,stop,exit,message,time_us,link.latency_ps");
    // Sizes and times also as plain numbers.
    const std::size_t row = csv.find('\n') + 1;
    EXPECT_EQ(csv.compare(row, 11, "65536,50ns,"), 0) << csv;
    const std::uint64_t ps = table["points"][0]["time_ps"];
    const std::string last = csv.substr(row, csv.find('\n', row) - row);
    EXPECT_NE(last.find(fmt::format(",finished,0,,{},50000", static_cast<double>(ps) / 1e6)), std::string::npos)
        << last;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);

    // The same again, one at a time: the same table.
    std::vector<std::string> again = arguments;
    again[7] = "1";
    const std::string first = files.read("s.json");
    EXPECT_EQ(call(again).out, outcome.out);
    EXPECT_EQ(files.read("s.json"), first);
}

// A refused value has no number, and takes the column of the others away no more than a failed run does.
TEST(Sweep, ABadValueLeavesTheColumnsOfTheOthers)
{
    const Fixtures files;
    const auto csv = [&files](const std::string& values) {
        call({"sweep", files.pair_system(), "--over", values, "--csv", files.path("s.csv")});
        return files.read("s.csv");
    };
    const std::string times = csv("link.latency=50ns,oops");
    EXPECT_EQ(times.substr(0, times.find('\n')),
        "link.latency,time_ps,algbw_GBps,busbw_GBps,verified,stop,exit,message,time_us,link.latency_ps");
    EXPECT_NE(times.find(",50000\n"), std::string::npos) << times;
    EXPECT_EQ(times.substr(times.size() - 2), ",\n") << times;
    EXPECT_EQ(csv("seed=1,oops").find("seed_"), std::string::npos);
}

TEST(Sweep, APointIsTheRunItStandsFor)
{
    const Fixtures files;
    const Outcome sweep =
        call({"sweep", files.pair_system(), "--over", "algorithm=ring,direct", "--bytes", "8KiB", "--json", "-"});
    ASSERT_EQ(sweep.code, 0) << sweep.err;
    const json points = json::parse(sweep.out)["points"];
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string algorithm = i == 0 ? "ring" : "direct";
        const Outcome run =
            call({"run", files.pair_system(), "--algorithm", algorithm, "--bytes", "8KiB", "--json", "-"});
        EXPECT_EQ(json::parse(run.out)["collectives"][0]["end_ps"], points[i]["time_ps"]) << algorithm;
    }
}

TEST(Sweep, NamesWhatAutoChose)
{
    const Fixtures files;
    const Outcome outcome = call({"sweep", files.pair_system(), "--over", "algorithm=auto,ring", "--bytes", "8KiB",
        "--json", files.path("s.json"), "--csv", files.path("s.csv")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json points = json::parse(files.read("s.json"))["points"];
    const json run =
        json::parse(call({"run", files.pair_system(), "--algorithm", "auto", "--bytes", "8KiB", "--json", "-"})
                        .out)["collectives"][0];
    const std::string chosen = run["algorithm"];
    EXPECT_NE(chosen, "auto");
    EXPECT_EQ(points[0]["algorithm"], chosen);
    EXPECT_EQ(points[0]["chosen_by"], "auto");
    EXPECT_EQ(points[0]["estimate_ps"], run["estimate_ps"]);
    EXPECT_EQ(points[1]["algorithm"], "ring");
    EXPECT_TRUE(points[1]["chosen_by"].is_null());
    EXPECT_NE(outcome.out.substr(0, outcome.out.find('\n')).find("verified  chosen"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find(" " + chosen + " "), std::string::npos) << outcome.out;
    const std::string csv = files.read("s.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')),
        "algorithm,time_ps,algbw_GBps,busbw_GBps,verified,stop,exit,chosen,estimate_ps,message,time_us");
    EXPECT_NE(csv.find(",0," + chosen + "," + std::to_string(run["estimate_ps"].get<std::uint64_t>()) + ","),
        std::string::npos)
        << csv;
    const std::string us = fmt::format("{}", points[1]["time_ps"].get<double>() / 1e6);
    EXPECT_NE(csv.find(",passed,finished,0,,,," + us + "\n"), std::string::npos) << csv;
}

// 10 us of compute in front of the only collective.
TEST(Sweep, OfATraceHasTheTimesOfItsSteps)
{
    const Fixtures files;
    const weft::chakra::testing::Folder folder;
    const std::vector<std::string> rank{weft::chakra::testing::comp(1, 10).integer("is_cpu_op", 0),
        weft::chakra::testing::collective(2, 0, 8192).data({1})};
    const std::string prefix = folder.write_set({rank, rank});
    const Outcome run = call({"run", files.pair_system(), "--trace", prefix, "--json", "-"});
    ASSERT_EQ(run.code, 0) << run.err;
    const json whole = json::parse(run.out);
    ASSERT_EQ(whole["collectives"].size(), 1u);
    const Outcome sweep = call({"sweep", files.pair_system(), "--trace", prefix, "--over", "seed=1,2", "--json", "-"});
    ASSERT_EQ(sweep.code, 0) << sweep.err;
    const json point = json::parse(sweep.out)["points"][0];
    EXPECT_EQ(point["time_ps"], whole["simulated_ps"]);
    EXPECT_GT(point["time_ps"].get<double>(), 10e6);
    EXPECT_TRUE(point["busbw_GBps"].is_null());
}

TEST(Sweep, TellsTheNoticesOfAllRunsOnce)
{
    const Fixtures files;
    const Outcome sweep = call({"sweep", files.pair_system(), "--over", "engine.protocol=simple,ll", "--over",
        "seed=1,2", "--set", "engine.slices=2", "--json", "-"});
    ASSERT_EQ(sweep.code, 0) << sweep.err;
    const std::string notice = "engine.slices is set and changes nothing: it needs engine.protocol=simple";
    EXPECT_EQ(sweep.err, "notice: 2 of 4 runs: " + notice + "\n");
    const json points = json::parse(sweep.out)["points"];
    EXPECT_TRUE(points[0]["notices"].empty());
    EXPECT_EQ(points[2]["notices"], json{notice});
}

TEST(Sweep, AFailingPointIsShownWithItsMessage)
{
    const Fixtures files;
    const Outcome outcome = call({"sweep", files.pair_system(), "--over", "ranks=2,3", "--json", files.path("s.json")});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.out.find("the workload has 3 ranks, but the system has 2 xpu nodes for them"), std::string::npos)
        << outcome.out;
    const json points = json::parse(files.read("s.json"))["points"];
    EXPECT_EQ(points[0]["exit"], 0);
    EXPECT_EQ(points[1]["exit"], 2);
    EXPECT_TRUE(points[1]["time_ps"].is_null());
    EXPECT_TRUE(points[1]["message"].is_string());
    const std::string line = "sweep: ranks=3: " + points[1]["message"].get<std::string>() + "\n";
    EXPECT_EQ(outcome.err, line);

    // With --quiet too; and a run that ends badly but has a result is named as well.
    const Outcome quiet = call({"sweep", files.pair_system(), "--over", "ranks=2,3", "--quiet"});
    EXPECT_EQ(quiet.code, 2);
    EXPECT_EQ(quiet.out, "");
    EXPECT_EQ(quiet.err, line);
}

TEST(Sweep, SystemsAndFidelitiesAreValuesToo)
{
    const std::string first = "examples/dgx_h100/system.yaml";
    const std::string second = "examples/mesh_mi300x/system.yaml";
    const std::vector<std::string> more{"--collective", "all_reduce", "--algorithm", "direct", "--bytes", "16KiB",
        "--no-data"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    };
    const Outcome table =
        with({"sweep", "--over", "system=" + first + "," + second, "--over", "fidelity=line,flow", "--json", "-"});
    EXPECT_EQ(table.code, 0) << table.err;
    const json points = json::parse(table.out, nullptr, false)["points"];
    ASSERT_EQ(points.size(), 4U);
    // Each is the run it stands for.
    const Outcome run = with({"run", second, "--fidelity", "flow", "--json", "-"});
    EXPECT_EQ(points[3]["parameters"], (json{{"system", second}, {"fidelity", "flow"}}));
    EXPECT_EQ(points[3]["time_ps"], json::parse(run.out, nullptr, false)["simulated_ps"]);
    EXPECT_NE(points[1]["time_ps"], points[3]["time_ps"]);

    const Outcome both = with({"sweep", first, "--over", "system=" + first + "," + second});
    EXPECT_EQ(both.code, 2);
    EXPECT_EQ(both.err, "weft: both a system and --over system are given; expected one of them\n");
    const Outcome missing = with({"sweep", "--over", "system=" + first + ",nowhere.yaml"});
    EXPECT_EQ(missing.code, 2);
    EXPECT_EQ(missing.err, "nowhere.yaml: cannot be read: No such file or directory; expected a readable file\n");
    EXPECT_EQ(missing.out, "");
}

TEST(Sweep, RefusesBeforeAnyRun)
{
    const Fixtures files;
    EXPECT_EQ(call({"sweep", files.pair_system()}).err, "weft: --over is missing; expected --over KEY=V1,V2,...\n");
    EXPECT_EQ(call({"sweep", "nowhere.yaml", "--over", "seed=1,2"}).err,
        "nowhere.yaml: cannot be read: No such file or directory; expected a readable file\n");
    const Outcome unwritable =
        call({"sweep", files.pair_system(), "--over", "seed=1,2", "--csv", files.path("none/s.csv")});
    EXPECT_EQ(unwritable.code, 2);
    EXPECT_EQ(unwritable.out, "");
}

TEST(Sweep, CtrlCEndsEveryRunAndShowsThePart)
{
    const Fixtures files;
    // The second point would take hours; the first is done long before it.
    Process process({"sweep", "examples/dgx_h100/system.yaml", "--over", "bytes=4KiB,4GiB", "--no-data", "-j", "1",
        "--json", files.path("s.json")});
    ::sleep(3);
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(outcome.out.compare(0, 21, "interrupted: partial\n"), 0) << outcome.out;
    const json points = json::parse(files.read("s.json"))["points"];
    ASSERT_EQ(points.size(), 2u);
    EXPECT_NE(points[1]["stop"], "finished");
}

namespace {

std::size_t count_of(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST(Sweep, DrawsACurveForEachValueOfTheOtherKey)
{
    const Fixtures files;
    const Outcome outcome = call({"sweep", files.pair_system(), "--over", "algorithm=ring,direct", "--over",
        "bytes=4KiB,16KiB,64KiB,256KiB", "--svg", files.path("s.svg"), "--title", "a < b", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string svg = files.read("s.svg");
    EXPECT_EQ(svg.rfind("<svg xmlns=\"http://www.w3.org/2000/svg\"", 0), 0u);
    EXPECT_EQ(count_of(svg, "<path "), 2u);
    EXPECT_EQ(count_of(svg, "<circle "), 8u);
    for (const char* text :
        {">ring<", ">direct<", ">algorithm<", ">4KiB<", ">256KiB<", ">bytes, log scale<", ">time (", ">a &lt; b<"})
        EXPECT_NE(svg.find(text), std::string::npos) << text;

    // Words along the axis, in their order.
    ASSERT_EQ(call({"sweep", files.pair_system(), "--over", "algorithm=ring,direct", "--over", "bytes=4KiB,16KiB",
                       "--svg", "-", "--x", "algorithm", "--y", "busbw", "--quiet"})
                  .code,
        0);
}

// The failed point of `direct` leaves a gap; sizes stay a sorted axis of numbers, however many words the other key has.
TEST(Sweep, APictureKeepsItsNumbersAndMarksWhatFailed)
{
    const Fixtures files;
    const Outcome outcome = call({"sweep", files.pair_system(), "--over", "algorithm=ring,direct,nonsense", "--over",
        "bytes=64KiB,4KiB", "--svg", files.path("s.svg"), "--quiet"});
    EXPECT_EQ(outcome.code, 2);
    const std::string svg = files.read("s.svg");
    EXPECT_NE(svg.find(">bytes, log scale<"), std::string::npos) << svg;
    const std::size_t small = svg.find(">4KiB<");
    ASSERT_NE(small, std::string::npos);
    EXPECT_LT(small, svg.find(">64KiB<"));
    for (const char* name : {">ring<", ">direct<", ">nonsense<", ">no result<"})
        EXPECT_NE(svg.find(name), std::string::npos) << name;
    EXPECT_EQ(count_of(svg, "<circle "), 4u);
    EXPECT_EQ(count_of(svg, "class=\"missing\""), 2 * 2u + 2);  // two strokes each, and in the legend
    EXPECT_EQ(count_of(svg, "<path "), 2u);
}

TEST(Sweep, AddsColumnsOfTheResults)
{
    const Fixtures files;
    const Outcome outcome = call({"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB", "--column", "gpu.signals",
        "--column", "link.payload_bytes", "--json", files.path("s.json"), "--csv", files.path("s.csv")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json points = json::parse(files.read("s.json"))["points"];
    for (std::size_t i = 0; i < 2; ++i) {
        const json run =
            json::parse(call({"run", files.pair_system(), "--bytes", i == 0 ? "4KiB" : "8KiB", "--json", "-"}).out);
        double signals = 0;
        for (const json& module : run["modules"])
            if (module["kind"] == "gpu") signals += module["stats"]["signals"]["value"].get<double>();
        double payload = 0;
        for (const json& link : run["links"]) payload += link["payload_bytes"].get<double>();
        EXPECT_GT(signals, 0);
        EXPECT_EQ(points[i]["columns"], (json{{"gpu.signals", signals}, {"link.payload_bytes", payload}}));
    }
    EXPECT_NE(outcome.out.find("gpu.signals"), std::string::npos);
    EXPECT_EQ(files.read("s.csv").find("bytes,time_ps,algbw_GBps,busbw_GBps,verified,stop,exit,gpu.signals,"
                                       "link.payload_bytes,message,time_us\n"),
        0u);
}

TEST(Sweep, WhatIsWrongWithARowIsSaidFirst)
{
    SweepRow good;
    good.values = {"4"};
    good.stop = "finished";
    good.verified = "passed";
    good.notices = {"a notice"};
    SweepRow stuck = good;
    stuck.values = {"1"};
    stuck.stop = "deadlock";
    stuck.reason = "a waits for b";
    const std::vector<SweepRow> rows{good, stuck};
    SweepAxis axis;
    axis.key = "x";
    axis.values = {"4", "1"};
    EXPECT_EQ(notices_of(rows), (std::vector<std::string>{"1: deadlock: a waits for b", "a notice"}));
    const json points = json::parse(sweep_json({axis}, {}, rows))["points"];
    EXPECT_TRUE(points[0]["reason"].is_null());
    EXPECT_EQ(points[1]["reason"], "a waits for b");
    const std::string csv = sweep_csv({axis}, {}, rows);
    EXPECT_NE(csv.find("deadlock,,a waits for b,"), std::string::npos) << csv;
}

// A circular wait has a heading and a line for each link: the reason is the heading with the first link.
TEST(Sweep, TheReasonOfACircularWaitNamesWhoWaitsForWhom)
{
    const Outcome out =
        call({"sweep", "examples/switch_ring/system.yaml", "--over", "link.request_credits=4", "--bytes", "1MiB",
            "--no-data", "--set", "routing.cycles=allow", "--set", "link.response_credits=4", "--json", "-"});
    EXPECT_EQ(out.code, 3);
    const std::string reason =
        "circular wait: 4 packets in the write buffer of ring.0.sw.0 -> ring.1.sw.0 wait for room in the write buffer "
        "of ring.1.sw.0 -> ring.2.sw.0";
    const json point = json::parse(out.out)["points"][0];
    EXPECT_EQ(point["reason"], reason);
    EXPECT_TRUE(point["time_ps"].is_null()) << "when it stopped is no time of a collective";
    EXPECT_NE(out.err.find("4: deadlock: " + reason + "\n"), std::string::npos) << out.err;
}

TEST(Sweep, RefusesPicturesAndColumnsThatCannotBe)
{
    const Fixtures files;
    const auto refused = [&](std::vector<std::string> more, const std::string& message) {
        std::vector<std::string> arguments{"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.err, message + "\n");
        EXPECT_EQ(outcome.out, "");
    };
    refused({"--y", "busbw"},
        "weft: '--x', '--y' and '--title' need a picture; expected --svg FILE or --html FILE with them");
    refused({"--svg", files.path("s.svg"), "--x", "byte"},
        "weft: --x 'byte' is not swept; expected bytes (did you mean 'bytes'?)");
    refused({"--svg", files.path("s.svg"), "--y", "tim"},
        "weft: unknown value 'tim' of '--y'; expected one of time, algbw, busbw (did you mean 'time'?)");
    refused({"--column", "misses"},
        "weft: --column 'misses' is not a column; expected KIND.STATISTIC, such as l2.misses, or "
        "link.FIELD, such as link.flag_bytes");
    // Found out when the runs are made, whose table is not lost.
    const Outcome late = call({"sweep", files.pair_system(), "--over", "bytes=4KiB,8KiB", "--column", "l2.mises"});
    EXPECT_EQ(late.code, 2);
    EXPECT_EQ(late.err,
        "weft: no run has a column 'l2.mises'; expected a statistic of 'modules' or a field of 'links' in the JSON of "
        "weft run, of all of them: a mixed run has modules of a part, and large results at flow leave out links\n");
    EXPECT_NE(late.out.find("8KiB"), std::string::npos) << late.out;
}

}  // namespace sweep_test
