// The rate at which a thread of a schedule moves data, from the limits of its unit and its registers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/packet_format.h"
#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct MoveLoad {
    double bytes = 0;        // as registers hold them: of packets where there are some
    double data = 0;         // without flags
    double issued = 0;       // bytes of all operands together
    double loads = 0;        // of those that are loaded from the own memory, where their slots are told apart; else 0
    double remote = 0;       // of those at peers and switches
    double own_byte_ps = 0;  // of the others, each times how long it is without a response
    std::uint32_t gets = 0;  // operands that are loaded from there
    std::uint64_t load_ps = 0;    // until a line that is loaded is there; of packets if they have come
    std::uint64_t refill_ps = 0;  // until registers of what is in the own memory are free again; 0: a rate instead
    bool stays = false;           // is stored there, too: registers are free for the next move with the last loads
    std::uint64_t round_ps = 0;   // of the slowest peer, there and back
    // Bytes that are loaded and stored, each times how long it is without a response: what they hold of the unit's places
    // (request_places.h). Of move_load() alone.
    double load_byte_ps = 0;
    double store_byte_ps = 0;

    // Bytes that are without a response for a round trip each: requests to the own memory take a place of their unit for less.
    double in_flight() const { return round_ps > 0 ? remote + own_byte_ps / static_cast<double>(round_ps) : remote; }
    // One of so many equal parts.
    MoveLoad divided_by(double parts) const;
};

// How a move that loads asks: piece by piece, each as soon as there are registers for it.
struct MovePieces {
    std::uint32_t count = 1;
    double sets = 0;             // of registers, that a piece holds until its last line has come
    bool coarse = false;         // eight of them are more than the registers hold, and ask together all the same
    std::uint64_t issue_ps = 0;  // its first to last request, beside those of the others that hold registers with it
    std::uint64_t turn_ps = 0;   // from one piece to the next

    // Parts in which a piece comes to a link at most. All pieces of a move together have no more than 16 * `most`, what 16 pieces have.
    std::uint32_t parts(std::uint32_t most) const { return std::max(1U, std::min(most, 16 * most / count)); }
};

// Of a data step of `rank` that handles `share` bytes of every chunk, its packets in `format`.
MoveLoad move_load(const CostGraph& graph, std::uint32_t rank, const Step& step, double share, PacketFormat format);

// Of `threads` threads of a rank, dealt out to its units. `each`: threads that this one stands for.
class ThreadPace {
public:
    ThreadPace(const CostRank& rank, std::size_t threads, std::uint32_t each);
    // The same without a limit of requests in flight.
    ThreadPace without_places() const
    {
        ThreadPace any = *this;
        any.outstanding_ = 0;
        return any;
    }

    // First to last line of a move issued, by issue slots alone; and by all limits.
    std::uint64_t slots_ps(const MoveLoad& move) const { return slots_ps(move.issued); }
    std::uint64_t slots_ps(double bytes) const { return static_cast<std::uint64_t>(bytes * issue_ps_per_byte_); }
    // First to last line stored. Loads from the own memory come in rounds: each wavefront fills its registers, stores, and loads again.
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
    // How long it takes at the limit of requests in flight, as if it had always been reached.
    std::uint64_t outstanding_ps(const MoveLoad& move) const
    {
        return outstanding_ > 0
            ? static_cast<std::uint64_t>(move.in_flight() / outstanding_ * static_cast<double>(move.round_ps))
            : 0;
    }
    // A move in one piece; and one that passes on at once what it loads. Each wavefront of a thread has registers of its own,
    // and asks again when its own lines have come: where they do not hold the move, its pieces are of the size of a wavefront's
    // set, or an eighth of the registers if that is more, but no more than 128.
    MovePieces whole(const MoveLoad& move) const;
    MovePieces in_pieces(const MoveLoad& move) const;
    // Whether registers for so many sets are free beside those that are held. Who holds none gets what it asks for.
    bool fits(double held, double sets) const
    {
        return registers_ <= 0 || held <= least_sets || held + sets <= sets_ + least_sets;
    }
    // Bytes from peers that registers hold, of all operands.
    double in_registers(const MoveLoad& move) const;
    // How often each wavefront fills its registers for it, one time after the other.
    double rounds(const MoveLoad& move) const { return registers_ > 0 ? std::max(1.0, move.bytes / registers_) : 1; }
    // Bytes of an instruction that loads or stores; where registers are not told apart, any.
    double instruction() const
    {
        return registers_ > 0 ? registers_ / sets_ / wavefronts_ : std::numeric_limits<double>::infinity();
    }
    // Sets of registers that a wavefront takes for its share of so many bytes, one after the other, and how many it has; none: any.
    double sets_for(double bytes) const { return std::max(1.0, std::ceil(bytes / (registers_ / sets_))); }
    double sets() const { return registers_ > 0 ? sets_ : std::numeric_limits<double>::infinity(); }
    // Such moves that hold registers together.
    std::size_t at_once(const MoveLoad& move) const;

private:
    double shares(const MoveLoad& move) const { return sets_for(move.bytes); }
    // The slots of a part of it behind its first line: loads take theirs while they wait for that.
    double slots_behind(const MoveLoad& move, double part) const;
    // First to last line by registers alone.
    double registers_ps(const MoveLoad& move) const;

    double issue_ps_per_byte_;
    static constexpr double least_sets = 1e-6;

    double registers_;  // bytes; 0: any
    double sets_;
    double wavefronts_;
    double outstanding_;  // bytes; 0: any
};

}  // namespace weft
