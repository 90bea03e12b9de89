// Rings that follow the real graph: every rank's right neighbour is near, and no link carries more of the ring than it must.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

// What one step of a ring in this order costs at best: the most that a link is occupied when every rank sends a byte to the
// next (ps per byte), and then the sum of the latencies.
struct RingCost {
    double ps_per_byte = 0;
    std::uint64_t latency_ps = 0;
    bool operator<(const RingCost& other) const;
};
RingCost ring_cost(const CostGraph& graph, const std::vector<std::uint32_t>& order);

// A ring through all ranks, rank 0 first: the rank order if no better one is found by a search of bounded length (a cycle of
// neighbours, nearest first; else nearest neighbour, improved by exchanging pairs of edges).
std::vector<std::uint32_t> ring_order(const CostGraph& graph);

// That ring and further ones, each over links that none before it uses, while such are found: at most `most`.
// The first has links to share with itself only if there is no other.
std::vector<std::vector<std::uint32_t>> ring_orders(const CostGraph& graph, std::uint32_t most);

}  // namespace weft
