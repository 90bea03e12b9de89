// The parts of a resolved system that take part in a run, and the routes between them.
//
// Endpoints that run something take part, and the nodes and edges on routes between them. An endpoint
// passes lines of others on only where some pair would otherwise be unreachable (a torus of GPUs).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/configuration/explain.h"
#include "platform/configuration/resolved_system.h"
#include "tlm_interconnect/routing/routing.h"

namespace weft {

struct FabricPlan {
    std::vector<NodeId> members;  // node of each endpoint, in rank order
    Fabric fabric;                // nodes and edges with the numbers of the graph
    Routing routing;
    UsedParts used;  // by the graph's numbers
    std::vector<std::string> notices;
};

// The nodes that take part according to the workload: all endpoints, the first `rank_count`, or those that
// `rank_nodes` names; `wanted` > 0 asks for that many. Throws InputError when there are fewer.
std::vector<NodeId> members_of(const ResolvedSystem& system, std::uint64_t wanted = 0);

// Adds the replay GPUs that are no members yet: they take part beside the workload.
void add_replay_gpus(const ResolvedSystem& system, std::vector<NodeId>& members);

// Adds the memories if the workload is a trace whose memory nodes go there. Throws InputError when there are none.
void add_memories(const ResolvedSystem& system, std::vector<NodeId>& members);

// Routes by the system's policy. Throws InputError when it does not fit the fabric.
Routing policy_routing(const ResolvedSystem& system, const Fabric& fabric);

// What moves over the routes: transactions, which count their links in a field of limited size and wait for buffers, or whole
// transfers of flow fidelity, which do neither.
enum class RouteUse : std::uint8_t { transactions, transfers };

// Throws InputError when the system is larger than can be built, when members cannot reach each other, when
// a link that is used has no bandwidth or too few VC sets, when the policy does not fit the fabric, or when the
// routes could deadlock and the system does not allow it (the cycle is spelled out). Where it is allowed a notice says what
// transfers do not show.
FabricPlan plan_fabric(const ResolvedSystem& system, std::vector<NodeId> members,
    RouteUse use = RouteUse::transactions);

// Whether the node makes messages of lines that leave it for a network. A crossbar makes none.
bool is_card(const ResolvedSystem& system, NodeId node);

// Whether network cards make messages anywhere among the parts that are used.
bool has_cards(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
