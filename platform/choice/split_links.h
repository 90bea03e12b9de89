// How much of what passes a link has left lines next to its own on other links, so that its packets are short.
//
// Lines in a row join one packet where links merge adjacent ones. Where paths are equal, every `routing.stripe` bytes take another one,
// and no packet is longer than that. A link may be one of several on the way of some pairs of endpoints, and the only one on the way of
// others.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Bytes in a row on one of several equal paths.
std::uint64_t bytes_in_a_row(const RoutingSpec& routing);

// Whether `share` of `all` is a part, sums of parts aside.
inline bool is_split(double share, double all = 1) { return share < 0.999999 * all; }

class SplitLinks {
public:
    // For the same traffic between all pairs of these endpoints; with more than 64 endpoints, from each to about 64 others.
    SplitLinks(const ResolvedSystem& system, const FabricPlan& plan, const std::vector<std::uint32_t>& endpoints);

    // The part of a link direction's traffic that has equal paths, 0 to 1. 0 for every link if no packet is longer than a stripe.
    double share(std::uint32_t edge, bool forward) const
    {
        return shares_.empty() ? 0 : shares_[2 * std::size_t{edge} + (forward ? 0 : 1)];
    }

private:
    std::vector<double> shares_;
};

}  // namespace weft
