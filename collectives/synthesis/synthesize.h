// Schedules made for one fabric: matches of chunks to links (chunk_matching.h) written down as steps.
//
// all_gather and broadcast follow a match, reduce_scatter one backwards, all_reduce the one and then the other. Every
// data step stores to one peer (the first that passes a chunk on keeps a copy as well), so the schedule can be
// written as a plan of point-to-point sends.
//
// A rank has a thread for each set of links by which its transfers leave, times `parts` (all steps work on that share
// of a chunk). Transfers of a thread go in the order of the match. Whoever passes a chunk on waits for it on a
// semaphore that belongs to the pair of threads; chunks that nobody passes on are signalled once, after the last.
#pragma once

#include <cstdint>

#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct SynthesisOptions {
    std::uint64_t bytes = 0;   // of the message (layout.h)
    std::uint32_t chunks = 1;  // that each rank's share is divided into; of broadcast: that the message is
    std::uint32_t parts = 1;   // threads that share each chunk
    std::uint32_t root = 0;    // of a broadcast
    std::uint64_t seed = 0;    // of choices between equals
    ReduceOp reduction = ReduceOp::sum;
};

// all_gather, reduce_scatter, all_reduce, broadcast.
bool can_synthesize(CollectiveOp op);

// Throws InputError for other collectives, fewer than two ranks, no chunks, and ranks that cannot be reached.
Schedule synthesize(CollectiveOp op, const CostGraph& graph, const SynthesisOptions& options);

// Sets of links by which the transfers of a rank leave at most: threads of a part.
std::uint32_t most_connections(const Schedule& schedule, std::uint32_t parts);

}  // namespace weft
