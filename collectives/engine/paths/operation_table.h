// The operations of a trace by kind, size and number of ranks: how often, how long, how long others were waited for, and how much of
// the critical path they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/engine/paths/trace_path.h"

namespace weft {

struct OperationRow {
    std::string what;         // "all_reduce", "transfer", "memory", "compute gradients": names without their digits
    std::uint64_t bytes = 0;  // of a collective, a transfer or a memory node
    std::uint32_t ranks = 0;  // 0: a node by itself
    std::uint64_t count = 0;
    // Sums over nodes; none beyond 2^64 ps.
    std::optional<Picoseconds> total = 0;  // time in all: of a collective from the last entry to its last end
    Picoseconds longest = 0;
    std::optional<Picoseconds> waiting = 0;  // of members for the last one, all together
    Picoseconds on_path = 0;
};

// Those with the largest share of the path first, then the longest in all, then by name.
std::vector<OperationRow> operation_table(const NodeLog& log, const std::vector<TracePathSegment>& path);

}  // namespace weft
