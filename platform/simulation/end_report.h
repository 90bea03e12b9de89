// What one process knows of the end of a run, and what all of them know together.
//
// A process reads its own modules; what it does not have is empty. Process 0 collects what the others have read and puts each thing in
// its place, so that a result does not show in how many processes it came about. A run in one process goes the same way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/held_places.h"
#include "platform/parallel/bytes.h"
#include "platform/result/run_result.h"
#include "rtl/modules/block_fault.h"
#include "tlm_interconnect/switch/blocked_chain.h"

#include "platform/simulation/surroundings.h"

namespace weft {

struct EndReport {
    std::vector<std::string> problems;   // errors,
    std::optional<BlockFault> fault;     // the first one of a block, and
    std::vector<std::string> unsettled;  // what has not come home; one line each
    // Who waits, by place in the order of all: buffers, then ranks, then modules.
    std::vector<std::pair<std::uint64_t, BufferWait>> buffer_waits;
    std::vector<std::pair<std::uint64_t, std::string>> suspects;  // modules that others seem to wait for
    std::vector<std::pair<std::uint64_t, std::string>> waiting_ranks;
    std::vector<std::pair<std::uint64_t, std::string>> waiting_modules;
    Time last = 0;  // of what ran
    std::uint64_t lines = 0;
    std::uint64_t line_hops = 0;
    std::vector<std::vector<Time>> stalls;  // by rank and cause (RankResult); no causes for a rank that is elsewhere
    std::vector<PlaceUse> places;           // of workgroups, by rank; without units: elsewhere
    std::vector<Time> replayed;             // by rank: when its profile was at its end; 0 for others
    std::vector<LinkResult> links;          // by link and direction; without names: elsewhere
    std::vector<std::vector<ModuleResult>> modules;  // by place (gathered.h)
    struct Mismatch {
        std::uint64_t at;
        std::string text;
    };
    std::vector<Mismatch> mismatches;  // by job; without text: none
    Surroundings::Share around;        // of a mixed run
    CutCosts cut;
    double cpu_s = 0;
    std::uint64_t rss = 0;

    Bytes bytes() const;
    static EndReport of(const Bytes& bytes);
    void add(EndReport other);  // of another process
};

}  // namespace weft
