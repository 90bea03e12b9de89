// A transfer at flow fidelity: data, a request, a signal, an acknowledge, or an operand of a switch.
#pragma once

#include <cstdint>

#include "collectives/flow/links/flow_links.h"

namespace weft {

struct alignas(64) FlowTransfer {
    enum class Use : std::uint8_t {
        put,
        get,
        signal,
        direct,
        acknowledge,
        operand,
        to_switch,
        pushed,
        copy,
        lowered,
        request,  // of a load
        // With a border: data and signals on their way to it; what it has brought; lines, and answers to them.
        leaving,
        leaving_signal,
        brought,
        line,
        answer
    };

    FlowFlight flight;
    Use use = Use::put;
    bool come = false;  // to the L2 of a rank that runs kernels
    bool held = false;  // its lines are among those in flight of a unit that kernels use, too
    std::uint32_t thread = 0;
    // A get: its move; packets: share; a signal: semaphore; a lone transfer: its caller; steps of switches: gathering.
    std::uint32_t target = ~std::uint32_t{0};
    std::uint32_t fetch_ps = 0;  // of a store: until memory has brought the rest of lines that it stores parts of
    std::uint64_t earliest = 0;  // end, for all that the thread can issue; ps
    // Of an acknowledge: the latency of both ways without contention; of a get: the time in memory. ps
    std::uint64_t answer = 0;
    std::uint32_t job = 0;                   // of a signal
    std::uint32_t sent = 0;                  // of a signal and packets: number in the log
    std::uint64_t began = 0;                 // for the log
    double places = 0;                       // of requests in flight of its unit, for each byte; 0: it takes none
    std::uint32_t window = 0;                // whose places these are: 0 its unit's, else an engine's that copies
    std::uint32_t room = ~std::uint32_t{0};  // group of links whose room behind it the transfer takes
    std::uint32_t after_ps = 0;              // of an engine: a place is held for so much longer than the transfer takes

    // In the number of a window: of an engine.
    static constexpr std::uint32_t of_engine = std::uint32_t{1} << 31;

    // Whether it waits for such places by itself. Requests do so, too.
    bool takes_place() const
    {
        return places > 0 && (use == Use::put || use == Use::leaving || (use == Use::get && window > 0));
    }
};

}  // namespace weft
