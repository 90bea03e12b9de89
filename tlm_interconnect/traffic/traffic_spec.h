// The traffic of an open-loop source.
#pragma once

#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/traffic/pattern.h"

namespace weft {

struct TrafficSpec {
    PatternSpec pattern;
    double load = 0.1;                         // lines per slot, 0..1
    std::uint64_t slot_bytes = 64;             // a slot is the time of slot_bytes at slot_rate: one line at full load
    std::uint64_t slot_rate = 25'000'000'000;  // B/s
    double burst = 0;           // mean messages of a burst, back to back; 0: every slot by itself (Bernoulli)
    double reads = 0;           // share of messages, 0..1
    double atomics = 0;         // share of messages, 0..1; the rest are writes
    bool posted = true;         // writes are not answered
    std::uint32_t size = 64;    // B of each line of reads and writes
    std::uint32_t message = 1;  // lines of a message, at consecutive addresses
    std::uint32_t stripe = 1;   // lines in a row that take the same path
    PathSelection path_selection = PathSelection::lines;
    Time duration = 0;  // ps; nothing is created from then on
    std::uint64_t seed = 1;

    // Of each destination, in which messages begin anywhere.
    static constexpr std::uint64_t region_lines = std::uint64_t{1} << 24U;

    Time slot_time(std::uint64_t slot) const
    {
        // Most slots are whole picoseconds: a division of half the width.
        if (slot_bytes < 1'000'000 && slot_bytes * 1'000'000'000'000U % slot_rate == 0)
            return static_cast<Time>(slot * (slot_bytes * 1'000'000'000'000U / slot_rate));
        return static_cast<Time>(static_cast<Wide>(slot) * slot_bytes * 1'000'000'000'000U / slot_rate);
    }
};

}  // namespace weft
