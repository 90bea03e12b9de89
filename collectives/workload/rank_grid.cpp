#include "collectives/workload/rank_grid.h"

namespace weft::workload {

namespace {

constexpr GroupKind all_group_kinds[] = {GroupKind::tensor, GroupKind::context, GroupKind::data, GroupKind::expert,
    GroupKind::expert_data, GroupKind::embedding};

}  // namespace

RankGrid::RankGrid(const Parallel& parallel, std::uint32_t first) : parallel_(parallel), first_(first)
{
    number_groups();
}

Coordinates RankGrid::coordinates(std::uint32_t rank) const
{
    std::uint32_t left = rank - first_;
    Coordinates at;
    at.tensor = left % parallel_.tensor;
    left /= parallel_.tensor;
    at.context = left % parallel_.context;
    left /= parallel_.context;
    at.data = left % parallel_.data;
    at.pipeline = left / parallel_.data;
    return at;
}

std::uint32_t RankGrid::rank(const Coordinates& at) const
{
    return first_ + at.tensor +
        parallel_.tensor * (at.context + parallel_.context * (at.data + parallel_.data * at.pipeline));
}

std::vector<std::uint32_t> RankGrid::members(GroupKind kind, std::uint32_t of) const
{
    Coordinates at = coordinates(of);
    std::vector<std::uint32_t> out;
    const std::uint32_t expert = parallel_.expert;
    switch (kind) {
    case GroupKind::tensor:
        for (at.tensor = 0; at.tensor < parallel_.tensor; ++at.tensor) out.push_back(rank(at));
        break;
    case GroupKind::context:
        for (at.context = 0; at.context < parallel_.context; ++at.context) out.push_back(rank(at));
        break;
    case GroupKind::data:
        for (at.data = 0; at.data < parallel_.data; ++at.data)
            for (at.context = 0; at.context < parallel_.context; ++at.context) out.push_back(rank(at));
        break;
    case GroupKind::expert: {
        const std::uint32_t begin = at.data / expert * expert;
        for (at.data = begin; at.data < begin + expert; ++at.data) out.push_back(rank(at));
        break;
    }
    case GroupKind::expert_data: {
        const std::uint32_t begin = at.data % expert;
        for (at.data = begin; at.data < parallel_.data; at.data += expert)
            for (at.context = 0; at.context < parallel_.context; ++at.context) out.push_back(rank(at));
        break;
    }
    case GroupKind::embedding:
        if (at.pipeline != 0 && at.pipeline + 1 != parallel_.pipeline) return {of};
        at.pipeline = 0;
        out.push_back(rank(at));
        if (parallel_.pipeline > 1) {
            at.pipeline = parallel_.pipeline - 1;
            out.push_back(rank(at));
        }
        break;
    }
    return out;
}

void RankGrid::number_groups(std::uint64_t base)
{
    groups_.clear();
    names_.assign(std::size(all_group_kinds), std::vector<std::string>(parallel_.ranks()));
    for (const GroupKind kind : all_group_kinds)
        for (std::uint32_t i = 0; i < parallel_.ranks(); ++i) {
            const std::vector<std::uint32_t> ranks = members(kind, first_ + i);
            // Each group is numbered when its first member comes by.
            if (ranks.size() < 2 || ranks.front() != first_ + i) continue;
            const std::uint64_t number = base + groups_.size();
            for (const std::uint32_t member : ranks)
                names_[static_cast<std::size_t>(kind)][member - first_] = std::to_string(number);
            groups_.emplace(number, ranks);
        }
}

Membership RankGrid::group(GroupKind kind, std::uint32_t of) const
{
    return {names_[static_cast<std::size_t>(kind)][of - first_], members(kind, of)};
}

}  // namespace weft::workload
