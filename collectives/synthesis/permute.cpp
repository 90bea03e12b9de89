#include "collectives/synthesis/permute.h"

#include <numeric>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

void require_permutation(const std::vector<std::uint32_t>& order, std::uint32_t ranks)
{
    std::vector<bool> named(ranks);
    bool good = order.size() == ranks;
    for (const std::uint32_t rank : order) {
        good = good && rank < ranks && !named[rank];
        if (good) named[rank] = true;
    }
    if (!good)
        throw InputError("", 0, fmt::format("an order of ranks that does not contain each of {} ranks once", ranks),
            "a permutation of the ranks");
}

// Whether the chunks of a buffer belong to ranks, k to each.
bool by_rank(CollectiveOp op, Buffer buffer)
{
    switch (op) {
    case CollectiveOp::all_gather:
    case CollectiveOp::gather: return buffer == Buffer::output;
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::scatter: return buffer == Buffer::input;
    case CollectiveOp::all_to_all: return buffer == Buffer::input || buffer == Buffer::output;
    default: return false;
    }
}

}  // namespace

std::vector<std::uint32_t> rank_order(std::uint32_t n)
{
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    return order;
}

Schedule permuted(const Schedule& schedule, const std::vector<std::uint32_t>& order)
{
    require_permutation(order, schedule.size());
    const std::uint32_t per_rank = schedule.chunks_per_rank();
    const auto moved = [&](ChunkRef& chunk) {
        chunk.rank = order[chunk.rank];
        if (by_rank(schedule.op, chunk.buffer) && per_rank > 0)
            chunk.index = order[chunk.index / per_rank] * per_rank + chunk.index % per_rank;
    };
    const auto split = [&](const ChunkRef& chunk) {
        return by_rank(schedule.op, chunk.buffer) && per_rank > 0 &&
            chunk.index / per_rank != (chunk.index + chunk.count - 1) / per_rank;
    };
    Schedule out = schedule;
    out.root = order[schedule.root];
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        RankPlan plan = schedule.ranks[rank];
        for (Thread& thread : plan.threads)
            for (Step& step : thread.steps) {
                for (std::vector<ChunkRef>* operands : {&step.sources, &step.destinations})
                    for (ChunkRef& chunk : *operands) {
                        if (split(chunk))
                            throw InputError(schedule.name, 0, "a step moves chunks of several ranks at once",
                                "steps whose chunks belong to one rank");
                        moved(chunk);
                    }
                if (step.kind == StepKind::signal || step.kind == StepKind::wait) step.peer = order[step.peer];
            }
        out.ranks[order[rank]] = std::move(plan);
    }
    return out;
}

}  // namespace weft
