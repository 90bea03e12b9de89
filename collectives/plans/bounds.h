// Lower bounds of any schedule of a collective, without a switch that multicasts or reduces.
//
// With n ranks and S bytes (as in collectives/schedule/layout.h): every rank must send, or receive, what it alone has or
// lacks. all_reduce 2(n-1)/n S; reduce_scatter, all_gather, all_to_all (n-1)/n S; the busiest rank of broadcast, reduce,
// gather and scatter S, S, (n-1)/n S, (n-1)/n S. Any of them takes one transfer; with the fewest bytes
// all_reduce, broadcast and reduce of more than two ranks take two.
#pragma once

#include <cstdint>
#include <optional>

#include "collectives/schedule/schedule.h"

namespace weft {

struct LowerBound {
    std::uint32_t steps = 0;             // dependent transfers, with any number of bytes
    std::uint32_t steps_with_bytes = 0;  // with no more than `bytes`
    std::uint64_t bytes = 0;             // through the busiest rank, in the direction that has more
};

// Nothing for barrier, send_receive and custom.
std::optional<LowerBound> lower_bound(CollectiveOp op, std::uint32_t ranks, std::uint64_t bytes);

}  // namespace weft
