// Routing policies: what routes a fabric uses, compiled to tables before time starts.
//
// minimal            fewest hops, then the widest narrowest link. One VC set; may be refused for a cycle.
// up_down            towards the destination by links that lead down where that is possible, else up. One VC set.
// dimension_order    mesh, ring and torus: first dimension first, the shorter way round, both ways where they are
//                    equally long. Two VC sets where a dimension of four or more closes to a ring: VC set 1 while the
//                    rest of the way in this dimension still crosses the edge from the last to the first
//                    coordinate, VC set 0 after it (Dally and Seitz).
// dragonfly_minimal  at most one link within the source's group, one between groups, one within the
//                    destination's. Two VC sets: VC set 1 within the destination's group.
// dragonfly_valiant  first by any link that leaves the source's group, all of them alike, to whatever group it leads to;
//                    from there as dragonfly_minimal. Three VC sets: 0 up to that group, then 1, 2 within the
//                    destination's group (Valiant; Kim, Dally, Scott and Abts for the VC sets). Within a group: the direct link.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft {

struct Fabric;

enum class RoutePolicy : std::uint8_t { minimal, up_down, dimension_order, dragonfly_minimal, dragonfly_valiant };

struct RouteRules {
    RoutePolicy policy = RoutePolicy::minimal;
    std::vector<std::uint32_t> sizes;   // dimension_order: coordinates per dimension, first fastest; empty: found
    std::vector<std::uint32_t> groups;  // dragonflies: group of each node; what does not forward is ignored
    std::uint64_t seed = 1;             // dragonfly_valiant: of the choice of groups
};

// The policy does not fit the fabric; says why.
struct RouteMismatch : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// [node][phase * endpoints + destination endpoint] -> equal alternatives; no VC sets: all of them in VC set 0.
struct RouteChoices {
    unsigned phases = 1;
    std::vector<std::vector<std::uint8_t>> phase_of;  // [node][port * max_vc_sets + VC set] of arrival; empty: phase 0
    std::vector<std::vector<std::vector<std::uint16_t>>> ports;
    std::vector<std::vector<std::vector<std::uint8_t>>> vc_sets;

    void add(std::uint32_t node, std::size_t row, std::size_t port, unsigned vc_set)
    {
        ports[node][row].push_back(static_cast<std::uint16_t>(port));
        vc_sets[node][row].push_back(static_cast<std::uint8_t>(vc_set));
    }
};

// Fill `out`, whose ports have their size already. `node_of` has the node of each endpoint.
void minimal_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of, RouteChoices& out);
void up_down_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of, RouteChoices& out);
void dimension_order_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of,
    const std::vector<std::uint32_t>& sizes, RouteChoices& out);
void dragonfly_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of,
    const std::vector<std::uint32_t>& groups, bool valiant, RouteChoices& out);

// Above: distance from the nearest endpoint, or from one root where that does not join all pairs; of two nodes
// alike the one listed first. A link leads up to the node with the smaller rank.
std::vector<std::uint32_t> up_down_ranks(const Fabric& fabric, const std::vector<std::uint32_t>& node_of);

// The sizes for which the forwarding nodes, as they are listed, are a mesh or torus; empty: none.
std::vector<std::uint32_t> grid_sizes(const Fabric& fabric);

// The forwarding node that each endpoint hangs on, or is. Throws where there are several.
std::vector<std::uint32_t> routers_of(const Fabric& fabric, const std::vector<std::uint32_t>& node_of);

}  // namespace weft
