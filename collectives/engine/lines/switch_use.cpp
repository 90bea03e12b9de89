#include "collectives/engine/lines/switch_use.h"

#include <algorithm>

namespace weft {

namespace {

std::vector<std::uint32_t> ranks_of(const std::vector<ChunkRef>& operands)
{
    std::vector<std::uint32_t> ranks;
    for (const ChunkRef& operand : operands) ranks.push_back(operand.rank);
    return ranks;
}

}  // namespace

bool reads_group(StepKind kind) { return kind == StepKind::load_reduce || kind == StepKind::reduce_multicast; }

bool writes_group(StepKind kind)
{
    return kind == StepKind::multicast || kind == StepKind::reduce_multicast || kind == StepKind::push_reduce;
}

std::vector<std::uint32_t> reading_group(const Step& step) { return ranks_of(step.sources); }

std::vector<std::uint32_t> writing_group(const Step& step)
{
    std::vector<std::uint32_t> ranks = ranks_of(step.destinations);
    // A multicast is the same in any order.
    if (step.kind != StepKind::push_reduce) std::sort(ranks.begin(), ranks.end());
    return ranks;
}

SwitchUse switch_use(const Schedule& schedule)
{
    SwitchUse use;
    const auto note = [&](std::uint32_t rank, const std::vector<std::uint32_t>& group,
                          const std::vector<ChunkRef>& operands) {
        use.groups.emplace(group, 0);
        if (std::find(group.begin(), group.end(), rank) == group.end()) use.outsiders[group].insert(rank);
        for (const ChunkRef& operand : operands)
            use.memories[static_cast<unsigned>(schedule.home(operand.buffer))] = true;
    };
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        for (const Thread& thread : schedule.ranks[rank].threads)
            for (const Step& step : thread.steps) {
                if (reads_group(step.kind)) note(rank, reading_group(step), step.sources);
                if (writes_group(step.kind)) note(rank, writing_group(step), step.destinations);
            }
    return use;
}

}  // namespace weft
