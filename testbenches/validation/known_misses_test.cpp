// docs/validation.md: every large error of its table of micro-benchmarks is among the known misses, and writing the page
// anew keeps them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/applications/validation/page_sections.h"

namespace known_misses_test {

using namespace weft;

namespace {

std::string page_text() { return read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/validation.md"); }

// From the heading of a section to the next one of its level.
std::string section_of(const std::string& page, const std::string& heading)
{
    const std::size_t begin = page.find("\n" + heading + "\n");
    if (begin == std::string::npos) return "";
    return page.substr(begin, page.find("\n## ", begin + 1) - begin);
}

std::vector<std::string> cells_of(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream text(line);
    std::string cell;
    while (std::getline(text, cell, '|')) {
        const std::size_t first = cell.find_first_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
    return cells;
}

// "time.kernel of H100" for each error of the table that is more than `percent` and that no line of the list names.
std::vector<std::string> unlisted(const std::string& page, double percent)
{
    std::vector<std::string> out;
    std::vector<std::string> parts;
    const std::string known = section_of(page, "## Known misses");
    std::istringstream lines(section_of(page, "## Micro-benchmarks"));
    std::string line;
    while (std::getline(lines, line)) {
        const std::vector<std::string> cells = cells_of(line);
        if (cells.size() < 3) continue;
        if (cells[1] == "row, unit") parts = cells;
        const std::string row = cells[1].substr(0, cells[1].find(','));
        for (std::size_t i = 2; i < std::min(cells.size(), parts.size()); ++i) {
            const std::size_t error = cells[i].find('(');
            if (error == std::string::npos || std::abs(std::atof(cells[i].c_str() + error + 1)) <= percent) continue;
            std::istringstream misses(known);
            std::string miss;
            bool listed = false;
            while (std::getline(misses, miss))
                listed = listed ||
                    (miss.find("`" + row + "`") != std::string::npos && miss.find(parts[i] + " ") != std::string::npos);
            if (!listed) out.push_back(row + " of " + parts[i]);
        }
    }
    return out;
}

}  // namespace

TEST(KnownMisses, HoldEveryLargeErrorOfTheMicroBenchmarks)
{
    EXPECT_EQ(unlisted(page_text(), 10), std::vector<std::string>());
}

TEST(KnownMisses, AMissThatIsNotListedIsFound)
{
    std::string page = page_text();
    const std::size_t line = page.find("| barriers over flags");
    ASSERT_NE(line, std::string::npos);
    page.erase(line, page.find('\n', line) - line + 1);
    const std::vector<std::string> of_that_line{"time.barrier_flags of H100", "time.barrier_flags of H200",
        "time.barrier_flags of MI300X"};
    EXPECT_EQ(unlisted(page, 10), of_that_line);
}

TEST(KnownMisses, StayWhenThePageIsWrittenAnew)
{
    const std::string page = page_text();
    const std::string misses = section_of(page, "## Known misses");
    EXPECT_GT(misses.size(), 1000U);
    EXPECT_EQ(section_of(with_sections("p.md", page, {{"summary", "new\n"}, {"h20_ring", "new\n"}}), "## Known misses"),
        misses);
    // No mark stands in it: nothing of it can be replaced.
    EXPECT_EQ(misses.find("<!-- weft validate"), std::string::npos);
}

}  // namespace known_misses_test
