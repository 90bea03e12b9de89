// The upper bounds of a bandwidth row, computed from resolved parameters: rates of wires and ports, and what is in
// flight over the latency of an idle system (Little's law). The smallest limit is what the row is bound by.
//
// A limit is that of one resource by itself. Where several lie close together, or where refreshes and uneven queues
// lengthen the latency, a row stays below the smallest one: the report shows by how much.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"

namespace weft {

struct RateLimit {
    std::string parameter;  // "gpu.outstanding"
    double rate = 0;        // GB/s of the row at most
};

// A row below this share of its smallest limit is far from it: reports show the share.
constexpr double near_bound = 0.85;

// Smallest first; of equal ones that of a wire before that of what is in flight. Empty for rows that are no bandwidth
// and for those that the system does not have. Throws InputError where a link that a peer row uses has no bandwidth.
std::vector<RateLimit> limits_of(const ResolvedSystem& system, const std::string& row);

// Those of rows between peers (peer_limits.cpp).
std::vector<RateLimit> peer_limits_of(const ResolvedSystem& system, const std::string& row);

}  // namespace weft
