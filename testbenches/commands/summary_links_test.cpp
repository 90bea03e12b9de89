// The table of the busiest links in the summary of a run.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace summary_links_test {

using namespace weft::commands_test;
using nlohmann::json;

// A tree: some ranks pass on what others only receive, and all links are busy for less than a per cent of a run with a late rank.
TEST(SummaryLinks, ARowOfDirectionsThatDifferHasTheirMeanAndTheLongestQueue)
{
    const Fixtures files;
    const Outcome run = call({"run", std::string(WEFT_SOURCE_DIR) + "/examples/dgx_h100/system.yaml", "--collective",
        "broadcast", "--algorithm", "tree", "--bytes", "16KiB", "--delay", "7=3ms", "--no-data", "--json",
        files.path("r.json")});
    ASSERT_EQ(run.code, 0) << run.err;
    const json result = json::parse(files.read("r.json"));
    double wire = 0;
    double payload = 0;
    std::uint64_t queue = 0;
    std::size_t count = 0;
    for (const json& link : result["links"]) {
        const std::string from = link["from"];
        if (from.find("xpu") == std::string::npos || link["payload_bytes"] == 0) continue;
        ++count;
        wire += link["wire_bytes"].get<double>();
        payload += link["payload_bytes"].get<double>();
        queue = std::max<std::uint64_t>(queue, link["peak_queue"]);
    }
    ASSERT_GT(count, 1U);
    std::istringstream lines(run.out);
    std::string row;
    while (std::getline(lines, row) && row.find(".xpu.") == std::string::npos) {
    }
    while (row.find(".nvsw.[0-3] ") == std::string::npos || row.find("-> dgx.0.nvsw") == std::string::npos)
        if (!std::getline(lines, row)) FAIL() << run.out;
    std::vector<std::string> cells;
    std::istringstream words(row.substr(row.find("[0-3] ") + 6));
    for (std::string word; words >> word;) cells.push_back(word);
    // count, GB/s, "<1 %", bytes and their unit twice, queue
    ASSERT_EQ(cells.size(), 9U) << row;
    EXPECT_EQ(cells[0], std::to_string(count)) << row;
    ASSERT_EQ(cells[4][0], '~') << row;
    EXPECT_NEAR(std::stod(cells[4].substr(1)) * 1e3, wire / static_cast<double>(count), 60) << row;
    ASSERT_EQ(cells[6][0], '~') << row;
    EXPECT_NEAR(std::stod(cells[6].substr(1)) * 1e3, payload / static_cast<double>(count), 60) << row;
    EXPECT_EQ(cells[8], std::to_string(queue)) << row;
}

}  // namespace summary_links_test
