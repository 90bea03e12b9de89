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

// The capacity of window `number` of a run that lasts until `last`.
double capacity(std::uint64_t number, Time window, Time last)
{
    return static_cast<double>(std::min(window, last - number * window));
}

void move_on(double busy, LinkSeries::Cell& from, LinkSeries::Cell& to)
{
    const double payload = from.payload * busy / from.busy_ps;
    from.busy_ps -= busy;
    from.payload -= payload;
    to.busy_ps += busy;
    to.payload += payload;
}

// A transfer takes the wire for a whole number of picoseconds and costs fractions of one more or less. So hundreds of them can cost more
// than the window in which they took the wire: the rest goes on to the next window or, behind the last one, back to those before.
void fit_into_windows(std::vector<LinkSeries::Cell>& cells, Time window, Time last)
{
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::uint64_t next = cells[i].window + 1;
        const double excess = cells[i].busy_ps - capacity(cells[i].window, window, last);
        if (excess <= 0 || next * window >= last) continue;
        if (i + 1 == cells.size() || cells[i + 1].window != next)
            cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(i) + 1, {next, 0, 0});
        move_on(excess, cells[i], cells[i + 1]);
    }
    for (std::size_t i = cells.size(); i-- > 0;) {
        const std::uint64_t number = cells[i].window;
        const double excess = cells[i].busy_ps - capacity(number, window, last);
        if (excess <= 0 || number == 0) continue;
        if (i == 0 || cells[i - 1].window != number - 1)
            cells.insert(cells.begin() + static_cast<std::ptrdiff_t>(i++), {number - 1, 0, 0});
        move_on(excess, cells[i], cells[i - 1]);
    }
}

// Busy times of the cells as whole numbers, none longer than its window, which add up to `all`.
std::vector<Time> whole_times(const std::vector<LinkSeries::Cell>& cells, Time window, Time last, Time all)
{
    std::vector<Time> ends;  // sums up to the end of each cell
    double busy = 0;
    Time before = 0;
    const auto most = [&](std::size_t i) { return std::min(window, last - cells[i].window * window); };
    for (std::size_t i = 0; i < cells.size(); ++i) {
        busy += cells[i].busy_ps;
        before = std::min({whole(busy), before + most(i), all});
        ends.push_back(before);
    }
    if (ends.empty()) return ends;
    ends.back() = all;
    for (std::size_t i = ends.size(); i-- > 1;)
        if (ends[i] - ends[i - 1] > most(i)) ends[i - 1] = ends[i] - most(i);
    return ends;
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
        for (LinkSeries::Cell& cell : cells[l]) {
            cell.busy_ps *= part;
            cell.payload *= part;
        }
        fit_into_windows(cells[l], window, last);
        const std::vector<Time> ends = whole_times(cells[l], window, last, link.busy_ps);
        double busy = 0;
        double payload = 0;
        Totals before;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const LinkSeries::Cell& cell = cells[l][i];
            busy += cell.busy_ps;
            payload += cell.payload;
            Totals now{whole(payload) / line_bytes, whole(busy * link.GBps / 1e3), whole(payload), ends[i]};
            if (i + 1 == ends.size()) now = totals_of(link);
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
