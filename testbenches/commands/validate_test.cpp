// weft validate: launch constants that tables share, and what it says of them.
#include <filesystem>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace validate_test {

using namespace weft::commands_test;
using Json = nlohmann::json;

namespace {

std::string table(const std::string& launch, const std::string& rows)
{
    return "validation:\n  title: T\n  source: S\n  system: pair_system.yaml\n" + launch + "  rows: " + rows + "\n";
}

const std::string group = "  launch: fitted\n  launch_group: Library, host\n";

}  // namespace

TEST(Validate, ATableWithoutItsSystemIsRefusedBeforeAnythingRuns)
{
    const Fixtures files;
    const std::string a =
        files.write("a.yaml", "validation:\n  title: T\n  source: S\n  system: none.yaml\n  rows: {4 KiB: 1 us}\n");
    const Outcome outcome = call({"validate", a});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
        a + ":4: the system '" + files.path("none.yaml") +
            "' is not there; expected a system file or an InfraGraph document, its path from the folder of the "
            "table\n");
}

// A barrier moves no bytes. What the options do not show, its run does.
TEST(Validate, BandwidthsOfRunsWithoutOneAreRefused)
{
    const Fixtures files;
    const auto refused = [&files](const std::string& options) {
        const std::string a = files.write("a.yaml",
            table("  options: [" + options + "]\n  over: ranks\n  quantity: busbw\n", "{2: 40 GB/s}"));
        const Outcome outcome = call({"validate", a, "--quiet"});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        return outcome.err.substr(std::min(a.size(), outcome.err.size()));
    };
    EXPECT_EQ(refused("--collective=barrier"),
        ":7: 'quantity: busbw' of a barrier, which moves no bytes; expected quantity: time\n");
    EXPECT_EQ(refused("--collective, barrier"),
        ":7: 'quantity: busbw', but the run of 2 has no bus bandwidth; expected quantity: time, or runs of a single "
        "collective that moves bytes\n");
}

// The same run in both: 100 us fit one exactly, 200 us the other. The group takes what the larger relative error wants.
TEST(Validate, TablesOfAGroupShareTheirConstantAndTheirRuns)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table(group, "{4 KiB: 100 us}"));
    const std::string b = files.write("b.yaml", table(group, "{4 KiB: 200 us}"));
    const Outcome outcome = call({"validate", a, b, "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Json tables = Json::parse(outcome.out)["tables"];
    ASSERT_EQ(tables.size(), 2U);
    EXPECT_EQ(tables[0]["launch_us"], tables[1]["launch_us"]);
    EXPECT_EQ(tables[0]["launch_tables"], (Json{a, b}));
    EXPECT_EQ(tables[0]["launch_rows"], 2);
    EXPECT_EQ(tables[0]["rows"][0]["simulated"], tables[1]["rows"][0]["simulated"]);
    EXPECT_NEAR(tables[0]["mean_error_pct"].get<double>(), 0, 1e-9);
    EXPECT_NEAR(tables[1]["mean_error_pct"].get<double>(), 50, 1e-9);
    EXPECT_TRUE(tables[0]["growth_mean_error_pct"].is_null());
}

TEST(Validate, ANoticeSaysOverWhichTablesAConstantIsFitted)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table(group, "{4 KiB: 100 us}"));
    files.write("b.yaml", table(group, "{4 KiB: 200 us}"));
    const Outcome outcome = call({"validate", a});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err,
        "notice: the launch constant of 'Library, host' is fitted over 1 of 2 tables: a; not given: b\n");
    EXPECT_NE(outcome.out.find("fitted to 1 row of 1 of the group's 2 tables"), std::string::npos) << outcome.out;
    EXPECT_EQ(call({"validate", a, "--quiet"}).err, "");
}

// Each part makes its runs once; whoever comes last compares, with the bytes of one process.
TEST(Validate, PartsShareTheRunsOfTables)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table("", "{4 KiB: 100 us, 8 KiB: 120 us, 16 KiB: 140 us}"));
    const std::string keep = files.path("kept");
    const std::string whole = call({"validate", a, "--json", "-"}).out;
    const Outcome first = call({"validate", a, "--keep", keep, "--shard", "1/2"});
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(first.out, "part 1 of 2: 2 of 3 runs\n");
    EXPECT_EQ(call({"validate", a, "--keep", keep, "--shard", "1/2"}).err, "validate: 2 of 2 runs are done already\n");
    EXPECT_EQ(call({"validate", a, "--keep", keep, "--shard", "2/2"}).out, "part 2 of 2: 1 of 3 runs\n");
    const Outcome all = call({"validate", a, "--keep", keep, "--json", "-"});
    EXPECT_EQ(all.err, "validate: 3 of 3 runs are done already\n");
    EXPECT_EQ(all.out, whole);
}

TEST(Validate, ARunThatIsMadeAgainSaysWhy)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table("", "{4 KiB: 100 us, 8 KiB: 120 us}"));
    const std::string keep = files.path("kept");
    const Outcome first = call({"validate", a, "--keep", keep, "--json", "-"});
    EXPECT_EQ(first.err, "");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(keep))
        if (entry.path().extension() == ".json") {
            std::filesystem::remove(entry.path());
            break;
        }
    const Outcome again = call({"validate", a, "--keep", keep, "--json", "-"});
    EXPECT_EQ(again.err,
        "validate: 1 run again: its result is gone\n"
        "validate: 1 of 2 runs are done already\n");
    EXPECT_EQ(again.out, first.out);
}

TEST(Validate, PartsThatNothingKeepsAreRefused)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table("", "{4 KiB: 100 us}"));
    const Outcome lost = call({"validate", a, "--shard", "1/2"});
    EXPECT_EQ(lost.code, 2);
    EXPECT_NE(lost.err.find("--shard 1/2, and nothing keeps their results"), std::string::npos) << lost.err;
    const Outcome early = call({"validate", a, "--shard", "1/2", "--keep", files.path("kept"), "--json", "-"});
    EXPECT_EQ(early.code, 2);
    EXPECT_NE(early.err.find("--json beside parts of a validation: --shard 1/2"), std::string::npos) << early.err;
}

TEST(Validate, ContradictoryConstantsOfAGroupAreRefused)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table(group, "{4 KiB: 100 us}"));
    const std::string b =
        files.write("b.yaml", table("  launch: 2 us\n  launch_group: Library, host\n", "{4 KiB: 200 us}"));
    for (const std::vector<std::string>& given : {std::vector<std::string>{"validate", a, b}, {"validate", a}}) {
        const Outcome outcome = call(given);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err,
            b + ":6: launch of group 'Library, host' is 2 us here, but fitted in " + a +
                "; expected one 'launch' for all tables of a group\n");
    }
}

// What cannot be run has a row all the same: a size that is measured, and why it is not simulated.
TEST(Validate, ARowThatIsNotSimulatedIsShownAndNotRun)
{
    const Fixtures files;
    const std::string a =
        files.write("a.yaml", table("", "{4 KiB: 100 us, 4096 GiB: {measured: 1 s, not_simulated: too large}}"));
    const Outcome outcome = call({"validate", a});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("4096 GiB      1000000  not simulated: too large\n"), std::string::npos) << outcome.out;
}

// A summary of some tables would pass for one of all; a table of which nothing runs has no picture.
TEST(Validate, CheckersChangeNoRow)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table(group, "{4 KiB: 100 us}"));
    const Outcome checked = call({"validate", a, "--check-protocol", "--json", "-"});
    EXPECT_EQ(checked.code, 0) << checked.err;
    EXPECT_EQ(checked.out, call({"validate", a, "--json", "-"}).out);
}

// Faster models are chosen for all tables at once, and every output says so.
TEST(Validate, FlowFidelityAndWideTransactionsAreNamedInTheTitles)
{
    const Fixtures files;
    const std::string file = files.write("a.yaml", table("", "{64 KiB: 100 us}"));
    const auto simulated = [&](const std::vector<std::string>& more, const std::string& title) {
        std::vector<std::string> arguments{"validate", file, "--json", "-"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const Json one = Json::parse(outcome.out)["tables"][0];
        EXPECT_EQ(one["title"], title);
        return one["rows"][0]["simulated"].get<double>();
    };
    const double lines = simulated({}, "T");
    EXPECT_EQ(simulated({"--fidelity", "line"}, "T"), lines);
    const double flow = simulated({"--fidelity", "flow"}, "T (flow fidelity)");
    const double wide = simulated({"--grain", "512B"}, "T (grain 512B)");
    EXPECT_NE(flow, lines);
    EXPECT_NE(wide, lines);
    EXPECT_NE(flow, wide);
    EXPECT_NEAR(flow, lines, lines * 0.1);
    EXPECT_NEAR(wide, lines, lines * 0.1);

    const auto refused = [&](std::vector<std::string> more, const std::string& what) {
        more.insert(more.begin(), {"validate", file});
        const Outcome outcome = call(more);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    };
    refused({"--fidelity", "mixed"}, "--fidelity = mixed; expected line or flow");
    refused({"--fidelity", "flow", "--grain", "128B"}, "--grain at flow fidelity");
    refused({"--grain", "128B", "--page", files.path("page.md")}, "--page with --grain=128B");
}

TEST(Validate, OnlyLargeMessagesAreByFlow)
{
    const Fixtures files;
    const std::string rows = "{4 KiB: 100 us, 8 KiB: 100 us, 64 KiB: 100 us}";
    const std::string file = files.write("a.yaml", table("  largest: 8 KiB\n", rows));
    const auto compared = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"validate", file, "--json", "-"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = call(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return Json::parse(outcome.out)["tables"][0];
    };
    const Json lines = compared({});
    const Json flow = compared({"--fidelity", "flow"});
    const Json mixed = compared({"--flow-beyond", "4 KiB"});
    EXPECT_EQ(mixed["title"], "T (flow fidelity beyond 4 KiB)");
    EXPECT_EQ(mixed["rows"][0], lines["rows"][0]);
    EXPECT_EQ(mixed["rows"][1], flow["rows"][1]);
    EXPECT_NE(mixed["rows"][1], lines["rows"][1]);
    EXPECT_EQ(flow["rows"][2]["extrapolated"], true);
    EXPECT_EQ(mixed["rows"][2]["extrapolated"], false);
    EXPECT_EQ(compared({"--flow-beyond", "64 KiB"}), lines);
    EXPECT_EQ(compared({"--flow-beyond", "4 KiB", "--check-protocol", "--grain", "64B"})["title"],
        "T (grain 64B; flow fidelity beyond 4 KiB)");

    const auto refused = [&](std::vector<std::string> more, const std::string& what) {
        more.insert(more.begin(), {"validate", file, "--flow-beyond"});
        const Outcome outcome = call(more);
        EXPECT_EQ(outcome.code, 2);
        EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    };
    refused({"4 KiB", "--fidelity", "flow"}, "--flow-beyond at flow fidelity");
    refused({"4 KiB", "--page", files.path("page.md")}, "--page with --flow-beyond");
    refused({"4 KX"}, "option '--flow-beyond' has the value '4 KX'; expected a size, such as 4MiB");
}

// Over ranks, the options state the size.
TEST(Validate, TheSizeOfATableOverRanksIsThatOfItsOptions)
{
    const Fixtures files;
    const auto title = [&](const std::string& options) {
        const std::string file =
            files.write("a.yaml", table("  over: ranks\n  options: " + options + "\n", "{2: 100 us}"));
        const Outcome outcome = call({"validate", file, "--json", "-", "--flow-beyond", "4 KiB"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return Json::parse(outcome.out)["tables"][0]["title"].get<std::string>();
    };
    EXPECT_EQ(title("[--bytes=8KiB]"), "T (flow fidelity beyond 4 KiB)");
    EXPECT_EQ(title("[--bytes=4KiB]"), "T");
    EXPECT_EQ(title("[]"), "T");
}

// A memory-side cache has transactions of 64 B: an allowed error takes these, with 512 B there is no result.
TEST(Validate, AnAllowedErrorIsForEverySystem)
{
    const Fixtures files;
    const std::string file = files.write("a.yaml",
        "validation:\n  title: T\n  source: S\n  system: " + std::string(WEFT_SOURCE_DIR) +
            "/examples/mesh_mi300x/system.yaml\n  rows: {16 KiB: 100 us}\n");
    const Outcome lines = call({"validate", file, "--json", "-"});
    const Outcome allowed = call({"validate", file, "--json", "-", "--grain", "100%"});
    ASSERT_EQ(lines.code, 0) << lines.err;
    ASSERT_EQ(allowed.code, 0) << allowed.err;
    const Json table = Json::parse(allowed.out)["tables"][0];
    EXPECT_EQ(table["title"], "T (grain 100%: 512 B, or finer where a model has none as wide)");
    EXPECT_EQ(table["rows"][0]["simulated"], Json::parse(lines.out)["tables"][0]["rows"][0]["simulated"]);
    EXPECT_EQ(call({"validate", file, "--grain", "512B"}).code, 1);  // no row of it is simulated
}

TEST(Validate, ASummaryIsWrittenOnlyWithAllTablesOfThePage)
{
    const Fixtures files;
    const std::string a = files.write("a.yaml", table("", "{4 KiB: 100 us}"));
    const std::string b = files.write("b.yaml", table("", "{4 KiB: {measured: 100 us, not_simulated: why}}"));
    const auto section = [](const std::string& name) {
        return "<!-- weft validate: " + name + " -->\nold\n<!-- end -->\n";
    };
    const std::string page = files.write("page.md", section("summary") + section("a") + section("b"));
    const Outcome some = call({"validate", a, "--page", page});
    EXPECT_EQ(some.code, 0);
    EXPECT_EQ(some.err,
        "notice: the summary of " + page + " is not changed because not all tables of the page are given\n");
    EXPECT_EQ(files.read("page.md").rfind(section("summary"), 0), 0U);
    const Outcome all = call({"validate", a, b, "--page", page, "--svg", files.path("")});
    EXPECT_EQ(all.code, 0);
    EXPECT_EQ(all.err, "");
    EXPECT_NE(files.read("page.md").find("| T | 0 of 1 | not simulated |"), std::string::npos) << files.read("page.md");
    EXPECT_NE(files.read("page.md").find("validation_a.svg"), std::string::npos);
    EXPECT_EQ(files.read("page.md").find("validation_b.svg"), std::string::npos);
    EXPECT_GT(files.read("validation_a.svg").size(), 1000U);
}

}  // namespace validate_test
