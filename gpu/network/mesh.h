// The tiles of a GPU whose on-die network is a mesh, and the links between them.
//
// Places: compute unit u of n is on tile u x tiles / n and slice s likewise, tiles counted row by row, so that the
// halves of mirrored L2 partitions lie in different halves of the rows; fabric port p of n is in the last row, column
// p x columns / n.
//
// Route: along the row to the column of the destination, then along the column. Requests and responses have links of
// their own. Timing: cut through; a line waits until its link is free, then takes hop_latency to the next tile.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/statistic.h"
#include "gpu/interface/network_spec.h"
#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/kernel/rate_servers.h"

namespace weft {

class Mesh {
public:
    explicit Mesh(const NetworkSpec& spec);

    unsigned tile_of(std::size_t number, std::size_t count) const  // of units and slices
    {
        return static_cast<unsigned>(number * tiles_ / count);
    }
    unsigned tile_of_port(std::size_t number, std::size_t count) const
    {
        return static_cast<unsigned>(tiles_ - columns_ + number * columns_ / count);
    }

    // Where a line is next and the side of that tile that it comes in by: 1 to 4.
    struct Step {
        unsigned tile;
        unsigned side;
        Time at;
    };
    // From `tile` to the next one towards `to`, another tile.
    Step step(LineClass cls, unsigned tile, unsigned to, Time now, std::uint32_t bytes);

    void add_statistics(std::vector<Statistic>& out) const;
    void reset_statistics();

private:
    enum Direction : unsigned { east, west, south, north };
    static constexpr unsigned directions = 4;

    unsigned columns_;
    std::size_t tiles_;
    Time hop_latency_;
    std::array<RateServers, line_classes> links_;  // [tile * directions + direction]
};

}  // namespace weft
