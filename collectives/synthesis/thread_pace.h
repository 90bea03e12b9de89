// The rate at which a thread of a schedule moves data, from the limits of its unit and its registers.
#pragma once

#include <cstdint>

#include "base/packet_format.h"
#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct MoveLoad {
    double bytes = 0;            // as registers hold them: of packets where there are some
    double data = 0;             // without flags
    double issued = 0;           // bytes of all operands together
    double remote = 0;           // of those at peers and switches
    double own_byte_ps = 0;      // of the others, each times how long it is without a response
    std::uint32_t gets = 0;      // operands that are loaded from there
    std::uint64_t load_ps = 0;   // until a line that is loaded is there; of packets if they have come
    std::uint64_t round_ps = 0;  // of the slowest peer, there and back

    // Bytes that are without a response for a round trip each: requests to the own memory take a place of their unit for less.
    double in_flight() const { return round_ps > 0 ? remote + own_byte_ps / static_cast<double>(round_ps) : remote; }
};

// Of a data step of `rank` that handles `share` bytes of every chunk, its packets in `format`.
MoveLoad move_load(const CostGraph& graph, std::uint32_t rank, const Step& step, double share, PacketFormat format);

// Of `threads` threads of a rank, dealt out to its units. `each`: threads that this one stands for.
class ThreadPace {
public:
    ThreadPace(const CostRank& rank, std::size_t threads, std::uint32_t each);

    // First to last line of a move issued.
    std::uint64_t issue_ps(const MoveLoad& move) const;
    // Of it, the part in which it issues; whether the rest is for the limit of requests in flight, else for registers.
    struct IssueParts {
        std::uint64_t busy_ps = 0;
        bool outstanding = false;
    };
    IssueParts issue_parts(const MoveLoad& move) const;
    // Until a move behind this one, that need not wait for it, finds registers: each wavefront has few sets, and takes one
    // for each of its shares.
    std::uint64_t turn_ps(const MoveLoad& move) const;

    // Bytes without a response that its unit allows it; 0: any.
    double outstanding() const { return outstanding_; }
    // Parts of a move that a set of registers holds, and sets.
    std::uint32_t pieces(const MoveLoad& move) const;
    std::uint32_t sets() const { return registers_ > 0 ? static_cast<std::uint32_t>(sets_) : 1; }
    // Such moves that hold registers together.
    std::size_t at_once(const MoveLoad& move) const;

private:
    double shares(const MoveLoad& move) const;

    double issue_ps_per_byte_;
    double registers_;  // bytes; 0: any
    double sets_;
    double outstanding_;  // bytes; 0: any
};

}  // namespace weft
