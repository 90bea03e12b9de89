// How much links carried in each window of simulated time. A transfer counts in the windows in which it takes the wire, in
// proportion, so the windows of a link add up to its totals. It only reads: no time of a run depends on it.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/flow/links/path_book.h"

namespace weft {

class LinkSeries {
public:
    using Ps = std::uint64_t;
    struct Cell {
        std::uint64_t window = 0;  // number of the window, from 0
        double busy_ps = 0;
        double payload = 0;  // bytes
    };
    static constexpr std::uint64_t most_cells = 1 << 20;

    explicit LinkSeries(Ps window) : window_(window) {}

    // A group of links (path_book.h) is occupied from `begin` to `end`.
    void add(std::uint32_t group, Ps begin, Ps end, double busy_ps, double payload);
    // What a link carried, by window, ascending.
    std::vector<Cell> of(const PathBook& book, std::uint32_t link) const;
    // Where there would be more than `most_cells` cells, windows become twice as long.
    void coarsen();

    Ps window() const { return window_; }
    Ps last() const { return last_; }

private:
    using Cells = std::vector<Cell>;
    static Cell& cell(Cells& cells, std::uint64_t window);

    Ps window_;
    Ps last_ = 0;
    std::uint64_t count_ = 0;
    std::vector<Cells> cells_;  // by group
};

}  // namespace weft
