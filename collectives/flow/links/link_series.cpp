#include "collectives/flow/links/link_series.h"

#include <algorithm>

namespace weft {

LinkSeries::Cell& LinkSeries::cell(Cells& cells, std::uint64_t window)
{
    if (!cells.empty() && cells.back().window == window) return cells.back();
    const auto place = std::lower_bound(cells.begin(), cells.end(), window,
        [](const Cell& cell, std::uint64_t wanted) { return cell.window < wanted; });
    if (place != cells.end() && place->window == window) return *place;
    return *cells.insert(place, {window, 0, 0});
}

void LinkSeries::add(std::uint32_t group, Ps begin, Ps end, double busy_ps, double payload)
{
    if (busy_ps <= 0) return;
    end = std::max(end, begin + 1);
    last_ = std::max(last_, end);
    if (cells_.size() <= group) cells_.resize(group + 1);
    while ((end - begin) / window_ > most_cells / 2) coarsen();
    const double length = static_cast<double>(end - begin);
    const std::size_t before = cells_[group].size();
    for (std::uint64_t window = begin / window_; window * window_ < end; ++window) {
        const Ps from = std::max(begin, window * window_);
        const Ps to = std::min(end, (window + 1) * window_);
        const double part = static_cast<double>(to - from) / length;
        Cell& at = cell(cells_[group], window);
        at.busy_ps += busy_ps * part;
        at.payload += payload * part;
    }
    count_ += cells_[group].size() - before;
    while (count_ > most_cells) coarsen();
}

void LinkSeries::coarsen()
{
    window_ *= 2;
    count_ = 0;
    for (Cells& cells : cells_) {
        Cells merged;
        for (const Cell& old : cells) {
            Cell& into = cell(merged, old.window / 2);
            into.busy_ps += old.busy_ps;
            into.payload += old.payload;
        }
        cells = std::move(merged);
        count_ += cells.size();
    }
}

std::vector<LinkSeries::Cell> LinkSeries::of(const PathBook& book, std::uint32_t link) const
{
    Cells out;
    book.for_history(link, [&](std::uint32_t group) {
        if (group >= cells_.size()) return;
        for (const Cell& from : cells_[group]) {
            Cell& into = cell(out, from.window);
            into.busy_ps += from.busy_ps;
            into.payload += from.payload;
        }
    });
    return out;
}

}  // namespace weft
