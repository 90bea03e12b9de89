// Routes of a fabric, made once before time starts, and the proof that they cannot deadlock.
//
// The policies are in route_policy.h; lines spread evenly over what a policy finds equal (Line::pick). Only
// forwarding nodes are passed through.
//
// Deadlock: a buffer of a link direction and VC set waits for a buffer of the next one on some route. If these
// dependencies close a cycle, lines can block each other for ever; dependency_cycle() finds one.
// Responses retrace their request's path in buffers of their own, so their dependencies are the same
// graph reversed and one check covers both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tlm_interconnect/routing/route_policy.h"
#include "tlm_interconnect/routing/route_table.h"

namespace weft {

struct FabricNode {
    std::string name;
    int endpoint = -1;     // index of the endpoint, -1: none
    bool forwards = true;  // lines of others may pass
};

struct FabricEdge {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint64_t bandwidth = 0;  // bytes/s
};

// Port p of a node is its p-th edge in the order of the edge list.
struct Fabric {
    std::vector<FabricNode> nodes;
    std::vector<FabricEdge> edges;
    std::uint32_t endpoints = 0;

    struct Port {
        std::uint32_t edge;
        std::uint32_t peer;
    };
    std::vector<std::vector<Port>> ports() const;
};

class Routing {
public:
    // Throws RouteMismatch when the policy does not fit the fabric.
    explicit Routing(const Fabric& fabric, const RouteRules& rules = {});

    // Ports of `node` towards endpoint `destination`; empty when there is no route.
    const std::vector<std::uint16_t>& ports_to(std::uint32_t node, std::uint32_t destination, unsigned phase = 0) const
    {
        return choices_.ports[node][row(node, destination, phase)];
    }
    // VC set of the i-th of them.
    unsigned vc_set(std::uint32_t node, std::uint32_t destination, unsigned i, unsigned phase = 0) const
    {
        return vc_sets_ == 1 ? 0 : choices_.vc_sets[node][row(node, destination, phase)][i];
    }
    // VC sets that links need for these routes.
    unsigned vc_sets() const { return vc_sets_; }
    // Phases that a route has (route_table.h).
    unsigned phases() const { return choices_.phases; }
    // `number_of`: number of each port in the module, -1 for those that it does not have; empty: as they are.
    // `own`: port of the node's own endpoint, -1: none.
    RouteTable table(std::uint32_t node, const std::vector<int>& number_of = {}, int own = -1) const;
    bool reachable(std::uint32_t from_endpoint, std::uint32_t to_endpoint) const;
    std::uint32_t node_of(std::uint32_t endpoint) const { return node_of_[endpoint]; }
    const std::vector<Fabric::Port>& ports_of(std::uint32_t node) const { return ports_[node]; }

    // Nodes of the path that line number `line` takes, both ends included; empty when there is none.
    std::vector<std::uint32_t> path(std::uint32_t from_endpoint, std::uint32_t to_endpoint, std::uint32_t line) const;
    // The same with what decides at each node but the last.
    struct Step {
        std::uint32_t node;
        unsigned phase;
        unsigned count;  // equal choices
        unsigned pick;   // the one taken
        unsigned port;
        unsigned vc_set;
    };
    std::vector<Step> steps(std::uint32_t from_endpoint, std::uint32_t to_endpoint, std::uint32_t line) const
    {
        return steps(from_endpoint, to_endpoint, line, from_endpoint, to_endpoint);
    }
    // With the path hash scattered as for endpoints that have other numbers elsewhere. `stripes`: by node and port, so many hashes in a
    // row are one packet, which takes one path from the first such port on that the line may leave by; empty: none.
    std::vector<Step> steps(std::uint32_t from_endpoint, std::uint32_t to_endpoint, std::uint32_t line,
        std::uint32_t source, std::uint32_t destination,
        const std::vector<std::vector<std::uint32_t>>& stripes = {}) const;
    // Phase in which a line goes on that leaves `node` by `port` in `vc_set`.
    unsigned phase_after(std::uint32_t node, unsigned port, unsigned vc_set) const;

    // Nodes and edges that some route between two endpoints uses.
    std::vector<bool> used_nodes() const;
    std::vector<bool> used_edges() const;

    // A cycle of link directions as "a -> b" (with VC sets "a -> b VC set 1") texts, each waiting for the next;
    // empty: none exists. `vc_sets`: as if links had no more of them, all higher ones in the last.
    std::vector<std::string> dependency_cycle(unsigned vc_sets = max_vc_sets) const;

private:
    // What does not forward knows one phase only.
    std::size_t row(std::uint32_t node, std::uint32_t destination, unsigned phase) const
    {
        return fabric_.nodes[node].forwards ? std::size_t{phase} * fabric_.endpoints + destination : destination;
    }
    template <class Visit>
    void walk(std::uint32_t destination, const Visit& visit) const;

    Fabric fabric_;
    std::vector<std::vector<Fabric::Port>> ports_;
    std::vector<std::uint32_t> node_of_;
    RouteChoices choices_;
    unsigned vc_sets_ = 1;
    std::uint64_t seed_ = 1;
    std::vector<std::uint16_t> port_at_;  // [2 * edge + (1 at its b)]
};

}  // namespace weft
