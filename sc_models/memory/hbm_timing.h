// The timing of one channel from an HbmSpec, in picoseconds.
#pragma once

#include <array>

#include "sc_models/memory/hbm_spec.h"

namespace weft {

struct HbmTiming {
    explicit HbmTiming(const HbmSpec& given);

    HbmSpec spec;
    std::uint64_t rate;         // B/s of a channel's pins
    std::uint64_t line;         // pins busy per line: whole bursts, rounded down
    std::uint64_t line_rest;    // what is left of it, in 1 / rate ps
    std::uint64_t data;         // first data of a line to the end of its last
    std::uint64_t last_column;  // first column command of a line to its last
    std::uint64_t group_busy;   // first column command of a line to that of the next in its bank group
    unsigned banks;             // of a channel, all groups
    // Lines that the scheduler sees of each direction (reads, writes), and as it turns.
    std::uint64_t seen[2];
    std::uint64_t high;
    std::uint64_t low;
    std::array<std::uint8_t, 64> group_of;  // a bank's
};

// A read of a row that is not open, in an idle channel, from the slice and back.
std::uint64_t idle_read(const HbmSpec& spec);

}  // namespace weft
