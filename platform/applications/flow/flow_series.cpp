#include "platform/applications/flow/flow_series.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "base/line_size.h"

namespace weft {

namespace {

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

// Totals of a link up to the end of a window.
struct Totals {
    std::uint64_t lines = 0;
    std::uint64_t wire_bytes = 0;
    std::uint64_t payload_bytes = 0;
    Time busy_ps = 0;
};

Totals totals_of(const LinkResult& link) { return {link.lines, link.wire_bytes, link.payload_bytes, link.busy_ps}; }

// In the order of FlowFabric::links(), with their numbers.
std::vector<std::pair<std::uint32_t, LinkResult>> links_of(const FlowFabric& fabric)
{
    std::vector<std::pair<std::uint32_t, LinkResult>> out;
    for (std::uint32_t number = 0; number < fabric.book().links(); ++number)
        if (std::optional<LinkResult> link = fabric.use(number)) out.emplace_back(number, std::move(*link));
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second.name, a.second.from) < std::tie(b.second.name, b.second.from);
    });
    return out;
}

}  // namespace

std::string flow_series(const FlowFabric& fabric, LinkSeries& series, Time end)
{
    const std::vector<std::pair<std::uint32_t, LinkResult>> links = links_of(fabric);
    std::vector<std::vector<LinkSeries::Cell>> cells;
    std::uint64_t rows = 0;
    do {
        if (rows > 0) series.coarsen();
        rows = 0;
        cells.clear();
        for (const auto& [number, link] : links) {
            cells.push_back(series.of(fabric.book(), number));
            rows += cells.back().size();
        }
    } while (rows > LinkSeries::most_cells && rows > links.size());

    struct Row {
        std::uint64_t window;
        std::size_t link;
        std::string text;
    };
    std::vector<Row> out;
    const Time window = series.window();
    const Time last = std::max(end, series.last());  // of a run to its end, whose last acknowledges may be later
    for (std::size_t l = 0; l < links.size(); ++l) {
        const LinkResult& link = links[l].second;
        double all = 0;
        for (const LinkSeries::Cell& cell : cells[l]) all += cell.busy_ps;
        const double part = std::min(1.0, static_cast<double>(link.busy_ps) / all);
        double busy = 0;
        double payload = 0;
        Totals before;
        for (const LinkSeries::Cell& cell : cells[l]) {
            busy += cell.busy_ps * part;
            payload += cell.payload * part;
            Totals now{whole(payload) / line_bytes, whole(busy * link.GBps / 1e3), whole(payload), whole(busy)};
            if (&cell == &cells[l].back()) now = totals_of(link);
            const Time begin = cell.window * window;
            const Time length = std::min(window, last - begin);
            const Time used = now.busy_ps - before.busy_ps;
            out.push_back({cell.window, l,
                fmt::format("{},{},{},{},{},{},{},{},{},{:.6g},\n", begin, length, link.name, link.from, link.to,
                    now.lines - before.lines, now.wire_bytes - before.wire_bytes,
                    now.payload_bytes - before.payload_bytes, used,
                    static_cast<double>(used) / static_cast<double>(length))});
            before = now;
        }
    }
    std::sort(out.begin(), out.end(),
        [](const Row& a, const Row& b) { return std::tie(a.window, a.link) < std::tie(b.window, b.link); });
    std::string text =
        "start_ps,length_ps,link,from,to,lines,wire_bytes,payload_bytes,busy_ps,utilisation,credit_stall_ps\n";
    for (const Row& row : out) text += row.text;
    return text;
}

}  // namespace weft
