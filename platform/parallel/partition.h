// The parts that a run is cut into: which nodes of the fabric are simulated together.
//
// Nodes on both ends of a link that cannot be cut, or that is shorter than the lookahead aimed at, stay together. Of the latencies
// that links have, the lookahead is the longest one by which there are as many groups of endpoints as parts, and no
// part has more than one and a half times its share of the weight; where that cannot be, the shortest one. Groups of endpoints go to the parts in rank
// order, so that neighbours by rank are in one part; what has no endpoint goes where most of its bandwidth leads, among equals to the
// part with the least of such. The result follows from the graph alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace weft {

// What a run is made of, as far as a cut is concerned.
struct CutGraph {
    struct Node {
        std::string name;
        std::uint64_t weight = 1;  // of its simulation
        bool endpoint = false;     // endpoints come in rank order
    };
    struct Edge {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        std::uint64_t latency = 0;  // ps
        std::uint64_t bandwidth = 0;
        std::string uncut;  // why it cannot be cut; empty: it can
        bool link = true;   // false: it only keeps its ends together
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
};

struct Partition {
    std::uint32_t parts = 1;
    std::vector<std::uint32_t> part;              // by node
    std::uint64_t lookahead = ~std::uint64_t{0};  // ps: the least latency of a link that is cut
    std::vector<std::size_t> cut;                 // edges
};

// Throws InputError when the graph has fewer groups of endpoints that can be apart.
Partition make_partition(const CutGraph& graph, std::uint32_t parts);

// Parts that a user has written down. Nodes that are `free`, among them no endpoint, go where most of their bandwidth leads, together with
// what cannot be cut from them.
struct GivenParts {
    static constexpr std::uint32_t free = ~std::uint32_t{0};

    std::uint32_t parts = 1;
    std::vector<std::uint32_t> part;  // by node
    std::vector<int> line;            // of the file, by node
    std::string file;
};
// Throws InputError where a link that cannot be cut would be.
Partition given_partition(const CutGraph& graph, const GivenParts& given);

// For people: "part 0: 4 GPUs, 2 other, weight 352" of each part, and "lookahead 70 ns, 16 of 32 links cut (50.0 %)".
std::vector<std::string> part_texts(const CutGraph& graph, const Partition& partition);
std::string cut_text(const CutGraph& graph, const Partition& partition);

// A table for people: the nodes of each part, the lookahead, the share of links that are cut.
std::string partition_text(const CutGraph& graph, const Partition& partition);

}  // namespace weft
