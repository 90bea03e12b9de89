// The parameters of routing.
#pragma once

#include "base/parameter.h"
#include "tlm_interconnect/protocol/path_selection.h"
#include "tlm_interconnect/routing/route_policy.h"

namespace weft {

enum class CyclePolicy : std::uint8_t { refuse, allow };

struct RoutingSpec {
    PathSelection path_selection = PathSelection::lines;
    std::uint64_t stripe = 64;  // B, a power of 2: so much of the address space takes the same path
    CyclePolicy cycles = CyclePolicy::refuse;
    RoutePolicy policy = RoutePolicy::minimal;
    std::uint64_t size_x = 0;  // forwarding nodes along each dimension of a mesh or torus; 0: no further dimension
    std::uint64_t size_y = 0;
    std::uint64_t size_z = 0;
    std::uint64_t group = 0;  // forwarding nodes in a group of a dragonfly; 0: those of one device instance

    static const ParameterTable<RoutingSpec>& parameters()
    {
        static const ParameterTable<RoutingSpec> table({"routing", BlockOwner::system, "how routes are selected"},
            {
                {{"path_selection", Unit::choice, 0, 3,
                     "path selection among equal paths: by line address, by pair of endpoints, always the first, or "
                     "round robin",
                     {"lines", "pairs", "none", "round_robin"}},
                    &RoutingSpec::path_selection},
                {{"stripe", Unit::bytes, 64, 65536,
                     "with path_selection=lines or round_robin: bytes in a row that take the same "
                     "path, a power of 2",
                     {}},
                    &RoutingSpec::stripe},
                {{"cycles", Unit::choice, 0, 1, "treatment of a system whose channel dependencies form a cycle",
                     {"refuse", "allow"}},
                    &RoutingSpec::cycles},
                {{"policy", Unit::choice, 0, 4, "routing policy",
                     {"minimal", "up_down", "dimension_order", "dragonfly_minimal", "dragonfly_valiant"}},
                    &RoutingSpec::policy},
                {{"size_x", Unit::count, 0, 65535,
                     "dimension_order: nodes along the first dimension, in the order of the document; 0: detected", {}},
                    &RoutingSpec::size_x},
                {{"size_y", Unit::count, 0, 65535,
                     "dimension_order: nodes along the second dimension; 0: there is none", {}},
                    &RoutingSpec::size_y},
                {{"size_z", Unit::count, 0, 65535, "dimension_order: nodes along the third dimension; 0: there is none",
                     {}},
                    &RoutingSpec::size_z},
                {{"group", Unit::count, 0, 65535,
                     "dragonfly: nodes of a group, in the order of the document; 0: a device is a group", {}},
                    &RoutingSpec::group},
            });
        return table;
    }
};

}  // namespace weft
