#include "collectives/schedule/analysis/first_loads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace weft {

namespace {

using Chunk = std::tuple<std::uint32_t, Buffer, std::uint32_t>;  // rank, buffer, index

// The first chunk that the step loads from another rank; none if it loads from fewer than two others.
std::optional<Chunk> first_chunk(const Step& step, std::uint32_t rank)
{
    if (step.kind != StepKind::move) return std::nullopt;
    const ChunkRef* first = nullptr;
    for (const ChunkRef& source : step.sources) {
        if (source.rank == rank) continue;
        if (first == nullptr)
            first = &source;
        else if (source.rank != first->rank)
            return Chunk(first->rank, first->buffer, first->index);
    }
    return std::nullopt;
}

}  // namespace

std::uint32_t most_first_loads(const Schedule& schedule)
{
    std::map<Chunk, std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        std::set<Chunk> chunks;
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps)
                if (const std::optional<Chunk> chunk = first_chunk(step, rank)) {
                    chunks.insert(*chunk);
                    break;
                }
        for (const Chunk& chunk : chunks) ++ranks[chunk];
    }
    std::uint32_t most = 0;
    for (const auto& [chunk, number] : ranks) most = std::max(most, number);
    return most;
}

}  // namespace weft
