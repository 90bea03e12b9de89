// `--watch`, `--series`: what links did, channel by channel and window by window; and who waits for whom at the end.
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace watch_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

std::vector<std::vector<std::string>> rows_of(const std::string& csv)
{
    std::vector<std::vector<std::string>> rows;
    std::istringstream text(csv);
    for (std::string line; std::getline(text, line);) {
        rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
    }
    return rows;
}

std::string dgx() { return std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/system.yaml"; }

}  // namespace

TEST(Watch, ChangesNoTimeAndAccountsForEveryChannel)
{
    const std::vector<std::string> plain = {"run", dgx(), "--bytes", "64KiB", "--no-data", "--no-timing", "--json",
        "-"};
    std::vector<std::string> watched = plain;
    watched.insert(watched.end(), {"--watch", "--set", "link.request_credits=8"});
    std::vector<std::string> few = plain;
    few.insert(few.end(), {"--set", "link.request_credits=8"});
    const json result = json::parse(call(watched).out);
    EXPECT_EQ(result["simulated_ps"], json::parse(call(few).out)["simulated_ps"]);
    std::uint64_t stalled = 0;
    for (const json& link : result["links"]) {
        std::uint64_t lines = 0;
        for (const json& channel : link["channels"]) {
            lines += channel["lines"].get<std::uint64_t>();
            stalled += channel["credit_stall_ps"].get<std::uint64_t>();
            EXPECT_LE(channel["credits_mean"].get<double>(), channel["credits_peak"].get<double>());
            if (channel["name"] == "write") {
                EXPECT_LE(channel["credits_peak"], 8);
            }
        }
        EXPECT_EQ(lines, link["lines"]);
    }
    EXPECT_GT(stalled, 0u);
    watched[6] = "--quiet";  // in place of --json -
    watched.erase(watched.begin() + 5, watched.begin() + 8);
    const Outcome text = call(watched);
    EXPECT_NE(text.out.find("\nwhere packets waited"), std::string::npos) << text.out << text.err;
    EXPECT_NE(text.out.find("dgx.0.xpu.[0-7] -> dgx.0.nvsw.[0-3]"), std::string::npos) << text.out;
}

TEST(Watch, WindowsAddUpToTheTotalsAndRepeat)
{
    const Fixtures files;
    const std::vector<std::string> command = {"run", dgx(), "--bytes", "64KiB", "--no-data", "--json",
        files.path("a.json"), "--quiet", "--series", files.path("a.csv"), "--window", "700ns"};
    ASSERT_EQ(call(command).code, 0);
    const std::string csv = files.read("a.csv");
    const auto rows = rows_of(csv);
    ASSERT_GT(rows.size(), 100u);
    EXPECT_EQ(rows[0][0], "start_ps");
    const json result = json::parse(files.read("a.json"));
    std::map<std::string, std::array<std::uint64_t, 5>> sums;
    for (std::size_t i = 1; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].size(), rows[0].size());
        EXPECT_EQ(std::stoull(rows[i][0]) % 700'000, 0u);
        for (unsigned c = 0; c < 4; ++c) sums[rows[i][3] + ">" + rows[i][4]][c] += std::stoull(rows[i][5 + c]);
        sums[rows[i][3] + ">" + rows[i][4]][4] += std::stoull(rows[i][10]);
    }
    for (const json& link : result["links"]) {
        const auto& sum = sums[link["from"].get<std::string>() + ">" + link["to"].get<std::string>()];
        EXPECT_EQ(sum[0], link["lines"]);
        EXPECT_EQ(sum[1], link["wire_bytes"]);
        EXPECT_EQ(sum[2], link["payload_bytes"]);
        EXPECT_EQ(sum[3], link["busy_ps"]);
        EXPECT_EQ(sum[4], link["credit_stall_ps"]);
    }
    ASSERT_EQ(call(command).code, 0);
    EXPECT_EQ(files.read("a.csv"), csv);
    // Nor does it change a time.
    EXPECT_EQ(json::parse(call({"run", dgx(), "--bytes", "64KiB", "--no-data", "--json", "-"}).out)["simulated_ps"],
        result["simulated_ps"]);
}

TEST(Watch, OfAFabricBenchToo)
{
    const Fixtures files;
    const Outcome outcome = call({"fabric", dgx(), "--loads", "0.5", "--duration", "2us", "--watch", "--json",
        files.path("f.json"), "--series", files.path("f.csv"), "--window", "500ns", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json result = json::parse(files.read("f.json"));
    std::uint64_t lines = 0;
    for (const json& link : result["points"][0]["links"]) {
        EXPECT_EQ(link["channels"].size(), 4u);
        lines += link["lines"].get<std::uint64_t>();
    }
    std::uint64_t sum = 0;
    const auto rows = rows_of(files.read("f.csv"));
    for (std::size_t i = 1; i < rows.size(); ++i) sum += std::stoull(rows[i][5]);
    EXPECT_EQ(sum, lines);
    EXPECT_GT(sum, 0u);
}

TEST(Watch, OptionsThatDoNotFitAreRefused)
{
    const Outcome window = call({"run", dgx(), "--window", "1us"});
    EXPECT_EQ(window.code, 2);
    EXPECT_EQ(window.err, "weft: --window without --series; expected --series, --html or --timeline FILE\n");
    const Outcome several = call({"fabric", dgx(), "--series", "x.csv"});
    EXPECT_EQ(several.code, 2);
    EXPECT_EQ(several.err, "weft: --series of several loads; expected a single load in --loads\n");
}

TEST(Watch, ADeadlockNamesItsCircle)
{
    const std::string ring = std::string(WEFT_SOURCE_DIR) + "/examples/switch_ring/switch_ring.yaml";
    const Outcome outcome = call({"run", "--infra", ring, "--collective", "all_to_all", "--algorithm", "direct",
        "--bytes", "393216", "--set", "routing.cycles=allow", "--set", "link.request_credits=1", "--set",
        "link.response_credits=1", "--set", "engine.channels=4", "--json", "-"});
    ASSERT_EQ(outcome.code, 3) << outcome.err;
    const json blocked = json::parse(outcome.out)["blocked"];
    std::vector<std::string> circle;
    for (const json& line : blocked) {
        const std::string text = line;
        if (circle.size() == 7) break;
        if (!circle.empty() || text == "circular wait:") circle.push_back(text);
    }
    ASSERT_EQ(circle.size(), 7u) << outcome.out;
    EXPECT_NE(circle[1].find(" in the write buffer of ring."), std::string::npos) << circle[1];
    EXPECT_NE(circle[6].find("which closes the circle"), std::string::npos) << circle[6];
    // Each step waits for the buffer in which the next one's lines sit.
    for (std::size_t i = 1; i < circle.size(); ++i) {
        const std::string& next = circle[i + 1 < circle.size() ? i + 1 : 1];
        const std::size_t held = next.find(" in ") + 4;
        const std::string buffer = next.substr(held, next.find(" wait") - held);
        EXPECT_NE(circle[i].find("for room in " + buffer), std::string::npos) << circle[i] << "\n" << next;
    }
}

}  // namespace watch_test
