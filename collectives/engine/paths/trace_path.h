// The chain of nodes that decided when a trace ended, through computation, communication and waiting.
//
// The walk starts at the node that ended last and goes backwards: from a node to the one whose end let it start. Where ranks meet, it
// goes on at the one that came last: of a collective the last member to enter; of a receive its send, where the send began later or
// was still under way when the receive began. So no waiting for others is on the path. The segments join without a gap from 0 to the
// end of the trace; `idle` is time in which no node of the path ran.
//
// Ties go to the lower rank, then to the node that started first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collectives/engine/node_log.h"

namespace weft {

struct TracePathSegment {
    std::size_t record = NodeRecord::none;  // none: idle
    std::uint32_t rank = 0;
    Picoseconds begin = 0;
    Picoseconds end = 0;
};

// From the first segment to the last; empty for a log in which no node ended.
std::vector<TracePathSegment> trace_path(const NodeLog& log);

// Times of the segments by what they are ("compute", "collective", ..., "idle"), in ps; they add up to the end of the last one.
std::vector<std::pair<std::string, Picoseconds>> times_by_kind(const NodeLog& log,
    const std::vector<TracePathSegment>& path);

}  // namespace weft
