// `weft probe` as a command: what it writes, and what it refuses.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/console/runs_progress.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace probe_test {

using namespace weft::commands_test;
using nlohmann::json;

TEST(ProbeCommand, WritesItsRowsAsJsonTheSameWhateverRunsAtOnce)
{
    const Fixtures files;
    const std::vector<std::string> arguments{"probe", "--profile", "v100", "--only",
        "latency.l1,latency.l2,latency.peer", "-j", "1", "--json", "-"};
    const Outcome outcome = call(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json report = json::parse(outcome.out);
    EXPECT_EQ(report["schema"], "weft.probe/1");
    EXPECT_EQ(report["profile"], "v100");
    ASSERT_EQ(report["rows"].size(), 3u);
    for (const json& row : report["rows"])
        for (const char* key : {"name", "unit", "simulated", "published", "error_pct", "source"})
            EXPECT_TRUE(row.contains(key)) << key;
    EXPECT_EQ(report["rows"][0]["name"], "latency.l1");
    EXPECT_NEAR(report["rows"][0]["simulated"].get<double>(), 20.2, 0.01);
    std::vector<std::string> again = arguments;
    again[6] = "2";
    EXPECT_EQ(call(again).out, outcome.out);
}

TEST(ProbeCommand, SaysWhatIsLeftUnlessQuiet)
{
    EXPECT_EQ(weft::runs_progress_text("probe", 3, 12, 2), "probe: 3 of 12 runs done, about 6 s left");
    EXPECT_EQ(weft::runs_progress_text("probe", 1, 12, 60), "probe: 1 of 12 runs done, about 11 min left");
    EXPECT_EQ(weft::runs_progress_text("probe", 12, 12, 60), "probe: 12 of 12 runs done");
    const Outcome quiet = call({"probe", "--profile", "v100", "--only", "latency.l1", "--quiet"});
    EXPECT_EQ(quiet.code, 0) << quiet.err;
    EXPECT_EQ(quiet.out, "");
}

TEST(ProbeCommand, CheckersChangeNoRow)
{
    const std::vector<std::string> plain{"probe", "examples/dgx_h100/system.yaml", "--only", "latency.l2,latency.peer*",
        "--json", "-"};
    std::vector<std::string> checked = plain;
    checked.push_back("--check-protocol");
    const Outcome outcome = call(checked);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, call(plain).out);
}

TEST(ProbeCommand, NamesWhatBoundsABandwidth)
{
    const Fixtures files;
    const std::vector<std::string> arguments{"probe", "--profile", "h100", "--only", "bandwidth.l2", "--set",
        "gpu.compute_units=4", "--set", "l2.partitions=1", "--set", "l2.slices=8", "--set", "l2.size=1MiB", "--set",
        "hbm.channels=8", "--set", "l2.bandwidth=400GB/s"};
    const Outcome outcome = call(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("bound by, GB/s"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("l2.bandwidth 400.0"), std::string::npos) << outcome.out;
    std::vector<std::string> as_json = arguments;
    as_json.insert(as_json.end(), {"--json", "-"});
    const json row = json::parse(call(as_json).out)["rows"].at(0);
    EXPECT_EQ(row["bound_by"]["parameter"], "l2.bandwidth");
    EXPECT_NEAR(row["bound_by"]["GBps"].get<double>(), 400, 1e-9);
    EXPECT_GT(row["limits"].size(), 3u);
    EXPECT_EQ(row["limits"][0], row["bound_by"]);
}

TEST(ProbeCommand, SaysWhichRowsASystemHasNot)
{
    const std::vector<std::string> base{"probe", "--profile", "v100", "--only"};
    const auto with = [&base](const std::string& rows) {
        std::vector<std::string> out = base;
        out.push_back(rows);
        return call(out);
    };
    const std::string far = "latency.l2_far is no row of this system: the L2 has one partition (l2.partitions)";
    const Outcome some = with("latency.l2,latency.l2_far");
    EXPECT_EQ(some.code, 0);
    EXPECT_NE(some.err.find("notice: " + far + "\n"), std::string::npos) << some.err;
    EXPECT_NE(some.out.find("latency.l2 "), std::string::npos) << some.out;
    EXPECT_EQ(with("latency.l2").err.find("is no row"), std::string::npos);
    const Outcome none = with("latency.l2_far,latency.memory_side");
    EXPECT_EQ(none.code, 2);
    EXPECT_EQ(none.out, "");
    EXPECT_NE(none.err.find("weft: " + far +
                  "; latency.memory_side is no row of this system: there is no memory-side cache (memory_side.size is "
                  "0); expected another row, or a system that has it\n"),
        std::string::npos)
        << none.err;
}

TEST(ProbeCommand, DrawsLatencyOverFootprints)
{
    const Fixtures files;
    const Outcome outcome = call({"probe", "--profile", "v100", "--only", "latency.l1", "--set", "l2.size=1536KiB",
        "--chase", files.path("c.svg")});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(files.read("c.svg").find("latency.l1 published"), std::string::npos);
    EXPECT_NE(outcome.out.find("latency.l1"), std::string::npos);
}

TEST(ProbeCommand, RefusesInOneLine)
{
    const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err, message + "\n");
    };
    refused({"probe"}, "weft: the system to probe is missing; expected --profile GPU, --infra FILE or SYSTEM");
    refused({"probe", "--profile", "h10"},
        "--profile: unknown profile 'h10'; expected a profile (did you mean 'h100'?)");
    refused({"probe", "--profile", "h100", "--only", "latency.x"},
        "weft: --only 'latency.x' is not a row; expected a row or a pattern such as latency.*; 'weft probe --help' "
        "lists "
        "them "
        "(did you mean 'latency.l1'?)");
}

// The profile alone describes the system: what it lacks for its links is named first.
// What is wrong in a profile is looked for there, not in the document or the system that uses it.
TEST(ProbeCommand, FaultsOfAProfileHaveItsLine)
{
    const Fixtures files;
    const std::string refresh = files.write("refresh.yaml", "profile: x\nhbm:\n  t_rfc: 5 us\n  t_refi: 4 us\n");
    const std::string family =
        files.write("family.yaml", "profile: x\nscale_up:\n  family: xgmi\n  link: nvlink_4\n  links: 4\n");
    const auto told = [&](const std::string& node) {
        return refresh + ":4: hbm.t_rfc = 5 us and hbm.t_refi = 4 us of " + node +
            " leave no time between refreshes; expected a refresh shorter than its interval\n";
    };
    EXPECT_EQ(call({"probe", "--profile", refresh, "--only", "latency.l2"}).err, told("node.0.xpu.0"));
    const Outcome run = call({"run", files.pair_system(), "--profile", refresh});
    EXPECT_EQ(run.code, 2);
    EXPECT_EQ(run.err, told("host.0.xpu.0"));
    EXPECT_EQ(call({"probe", "--profile", family, "--only", "latency.l2"}).err,
        family +
            ":4: scale_up.link = nvlink_4 is of family nvlink, but scale_up.family is xgmi; expected a link of that "
            "family: xgmi\n");
}

TEST(ProbeCommand, NamesTheScaleUpLinksThatAProfileLacks)
{
    const Fixtures files;
    const std::string profile = files.write("mine.yaml", "profile: mine\ngpu: {compute_units: 4}\n");
    const Outcome outcome = call({"probe", "--profile", profile, "--only", "bandwidth.peer_read"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(
                  "expected scale_up: {links: 4, rate: 25 GB/s} in profile 'mine', a bandwidth in the document, "),
        std::string::npos)
        << outcome.err;
}

}  // namespace probe_test
