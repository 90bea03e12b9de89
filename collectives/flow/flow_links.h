// Transfers on links, one stage of their path after the other.
//
// A link serves transfers in the order in which their heads come. It is occupied for bytes x its rate; the head goes on at
// once (cut-through), or with the last byte under `store_and_forward`. What goes back for a transfer occupies the other
// direction. Where a path passes ranks, several ranks' transfers meet and more waits than the buffer holds, what waits takes
// twice as long (estimate.h).
#pragma once

#include <cstdint>

#include "collectives/flow/path_book.h"

namespace weft {

struct FlowFlight {
    std::uint32_t path = 0;
    std::uint32_t sender = 0;   // endpoint
    double bytes = 0;
    std::uint32_t stage = 0;    // that its head is at
    std::uint64_t head_ps = 0;  // when; behind the last stage, when it has begun to pass it
    std::uint64_t rest_ps = 0;  // latency behind the last stage
    std::uint64_t tail_ps = 0;  // when all of it is there, as far as is known
};

class FlowLinks {
public:
    FlowLinks(PathBook& book, std::uint64_t quantum_ps, bool store_and_forward)
        : book_(book), quantum_(quantum_ps), store_and_forward_(store_and_forward)
    {
    }

    // A put of `sender` that leaves at `now`; what a load brings back that was asked for by `request`, when it is at the owner.
    FlowFlight put(std::uint32_t path, std::uint32_t sender, double bytes, std::uint64_t now) const;
    FlowFlight answer(std::uint32_t path, std::uint32_t sender, std::uint32_t request, double bytes, std::uint64_t now) const;

    // Passes the links of the present stage at flight.head_ps. False at the last one.
    bool pass(FlowFlight& flight);

    std::uint64_t occupancy_ps(double bytes, double ps_per_byte) const;

private:
    void pass_group(std::uint32_t number, double bytes, FlowFlight& flight, bool neighbours, std::uint64_t now, std::uint64_t left,
        std::uint64_t& head);
    void occupy_back(std::uint32_t number, double ps, std::uint64_t now);

    PathBook& book_;
    std::uint64_t quantum_;
    bool store_and_forward_;
};

}  // namespace weft
