// Links over time: a wire is busy in the windows in which it is taken, and windows add up to the totals of links.
#include <algorithm>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "base/comma_list.h"
#include "platform/result/report.h"
#include "testbenches/platform/runs.h"

namespace series_windows_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Windows {
    std::uint64_t full = 0;     // windows that are busy throughout
    std::uint64_t without = 0;  // that are busy with lines of those before
};

// The wire of 1 GB/s takes a line of 64 bytes for more than a window.
RunSetup slow(const std::string& more)
{
    RunSetup setup;
    setup.document = mesh_document(2);
    setup.lines = "profile: h100\n" + collective_lines("all_gather", "ring", "4 KiB");
    setup.sets = {"link.bandwidth=1GB/s", more};
    setup.options.window = 50'000;
    return setup;
}

// Fails where a window is busy for longer than it is, or windows do not add up to the totals.
Windows windows_of(const RunSetup& setup)
{
    const Json both = Json::parse(in_timed_child(
        [&setup] {
            const RunResult result = run_here(setup);
            return Json{{"series", result.series}, {"result", Json::parse(result_json(result, false))}}.dump();
        },
        60));
    std::istringstream rows(both["series"].get<std::string>());
    std::string row;
    std::getline(rows, row);
    Windows out;
    std::map<std::string, std::uint64_t> busy;
    std::map<std::string, std::uint64_t> wire;
    while (std::getline(rows, row)) {
        const std::vector<std::string_view> cells = comma_list(row);
        const auto number = [&](std::size_t i) { return std::stoull(std::string(cells[i])); };
        EXPECT_LE(number(8), number(1)) << row;
        EXPECT_LE(std::stod(std::string(cells[9])), 1) << row;
        out.full += number(8) == setup.options.window ? 1 : 0;
        out.without += number(6) == 0 && number(8) > 0 ? 1 : 0;
        const std::string link = std::string(cells[3]) + ">" + std::string(cells[4]);
        busy[link] += number(8);
        wire[link] += number(6);
    }
    for (const Json& link : both["result"]["links"]) {
        const std::string name = link["from"].get<std::string>() + ">" + link["to"].get<std::string>();
        EXPECT_EQ(busy[name], link["busy_ps"].get<std::uint64_t>()) << name;
        EXPECT_EQ(wire[name], link["wire_bytes"].get<std::uint64_t>()) << name;
        EXPECT_LE(link["busy_ps"], both["result"]["simulated_ps"]) << name;
    }
    return out;
}

}  // namespace

TEST(SeriesWindows, NoWireIsBusyForLongerThanItsWindow)
{
    for (const char* set : {"link.bundle=1", "link.bundle=2", "engine.grain=512", "link.retry=go_back_n"}) {
        const Windows windows = windows_of(slow(set));
        EXPECT_GT(windows.full, 10U) << set;
        EXPECT_GT(windows.without, 10U) << set;
    }
}

// Also of a run that is stopped while wires are taken: 2 KiB of each rank take more than 2 us.
TEST(SeriesWindows, WhereverARunIsStopped)
{
    for (const Time until : {1'000'000, 1'510'003, 2'025'000}) {
        RunSetup setup = slow("link.bundle=1");
        setup.options.until = until;
        EXPECT_GT(windows_of(setup).full, 5U) << until;
    }
}

}  // namespace series_windows_test
