// Matches chunks to links on a time-expanded graph: the result says which rank sends which chunk to which rank, and when.
//
// Whenever links are free, each is given a chunk that its sender has and its receiver lacks (and is not getting): the
// one that fewest ranks have or are getting; of these one that comes by a shortest path; of these by a number drawn
// from the seed. A transfer takes all links of its path for the time its bytes need there; one that takes only a
// share of a link leaves the rest to others. Chunks arrive a latency later and can be passed on.
//
// The manner is that of TACOS (link-chunk matching); data that are reduced take the paths of a match on the reversed
// graph, backwards in time.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct ChunkTransfer {
    std::uint32_t chunk = 0;
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint64_t start_ps = 0;
    std::uint64_t end_ps = 0;
};

struct ChunkTransfers {
    std::vector<ChunkTransfer> transfers;  // by start, from, to; every rank gets every chunk once
    std::uint64_t end_ps = 0;
};

// Chunk c of `bytes` bytes begins at rank owners[c] and goes to all others. Throws InputError for ranks that cannot
// be reached.
ChunkTransfers match_chunks(const CostGraph& graph, const std::vector<std::uint32_t>& owners, double bytes,
    std::uint64_t seed);

// The transfers backwards in time, paths turned round: what sums flow along.
ChunkTransfers gathered(const ChunkTransfers& sent);

}  // namespace weft
