// Small cost graphs: 1 ps per byte and 1000 ps per hop unless told otherwise, nothing inside the ranks.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/synthesis/estimate.h"

namespace weft::testing {

constexpr double wire_ps = 1;
constexpr std::uint64_t hop_ps = 1000;

// Rank i beside i + 1, both ways; others have no path.
CostGraph ring_graph(std::uint32_t n);
// Every two ranks have a wire.
CostGraph mesh_graph(std::uint32_t n);
// width x height, row by row, with or without wrap-around.
CostGraph grid_graph(std::uint32_t width, std::uint32_t height, bool wraps);
// A port of each rank, to and from a switch.
CostGraph star_graph(std::uint32_t n);
// The same, and the switch combines and copies: neither adder nor contexts limit it.
CostGraph group_graph(std::uint32_t n, std::uint32_t groups = 8);
// `leaves` switches with `each` ranks below them and `spines` above all: all of them combine and copy. Links between switches take
// `trunk_ps` a byte.
CostGraph tree_graph(std::uint32_t leaves, std::uint32_t each, std::uint32_t spines, double trunk_ps = wire_ps);
// A tree with some more wires, of different rates and latencies.
CostGraph random_graph(std::uint32_t n, std::uint64_t seed);
// Paths over several wires for pairs that have none: the fewest hops, passing other ranks.
void route(CostGraph& graph);
// Of a built-in algorithm among all ranks.
Estimate price(const std::string& algorithm, CollectiveOp op, const CostGraph& graph, std::uint64_t bytes,
    std::uint32_t channels = 1);

}  // namespace weft::testing
