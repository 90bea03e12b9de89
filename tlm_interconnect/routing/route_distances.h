// The distance of every node of a fabric from one node, and the narrowest bandwidth on the path.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tlm_interconnect/routing/routing.h"

namespace weft {

struct RouteDistances {
    static constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();

    std::vector<std::uint32_t> hops;   // [node]: fewest links to the target; far: no route
    std::vector<std::uint64_t> width;  // [node]: B/s of the narrowest link on the widest of those routes
};

// `ports` as Fabric::ports() gives them. Routes lead through nodes that forward only.
RouteDistances distances_to(const Fabric& fabric, const std::vector<std::vector<Fabric::Port>>& ports,
    std::uint32_t target);

}  // namespace weft
