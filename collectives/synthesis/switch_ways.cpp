#include "collectives/synthesis/switch_ways.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace weft {

namespace {

std::uint64_t beyond(std::uint64_t latency, std::uint64_t part) { return latency - std::min(latency, part); }

// A path by which `from` reaches `to` over so many links is that of a group, and ends at the rank by way of the top.
void take_path(const CostPath& path, SwitchWay& from, SwitchWay& to, std::uint64_t from_answered)
{
    const std::size_t stages = path.stages.size();
    from.up.resize(stages / 2 + 1);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < stages; ++i) {
        before += path.stages[i].before_ps;
        if (i < from.up.size()) from.up[i] = std::max(from.up[i], path.stages[i].before_ps);
    }
    if (stages > from.up.size()) to.to_leaf = std::max(to.to_leaf, path.stages.back().before_ps);
    to.to_rank = std::max(to.to_rank, beyond(path.put_ps, before));
    to.answer = std::max(to.answer, beyond(path.answer_ps, from_answered));
}

}  // namespace

std::uint64_t SwitchWay::up_ps() const { return std::accumulate(up.begin(), up.end(), std::uint64_t{0}); }

std::map<std::uint32_t, SwitchWay> switch_ways(const CostGraph& graph, const std::vector<std::uint32_t>& users,
    std::size_t members, std::size_t stages, const std::function<std::uint64_t(std::uint32_t rank)>& answered)
{
    std::map<std::uint32_t, SwitchWay> out;
    for (const std::uint32_t rank : users) out[rank].answered = answered(rank);
    for (auto& [from, way] : out)
        for (auto& [to, other] : out) {
            if (from == to || graph.path(from, to).stages.size() != stages) continue;
            take_path(graph.path(from, to), way, other, way.answered);
        }
    constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t there = never;
    std::uint64_t answer = never;
    std::int64_t operand = std::numeric_limits<std::int64_t>::max();
    const auto behind_operand = [](const SwitchWay& way) {  // of its acknowledge, what its operand's stages do not have
        return static_cast<std::int64_t>(way.answer) - static_cast<std::int64_t>(way.up_ps() - way.up.front());
    };
    for (const auto& [rank, way] : out)
        if (way.up.empty()) return {};
    for (std::size_t i = 0; i < members; ++i) {
        const SwitchWay& way = out.at(users[i]);
        there = std::min(there, way.to_leaf + way.to_rank);
        answer = std::min(answer, way.answer);
        operand = std::min(operand, behind_operand(way));
    }
    for (auto& [rank, way] : out) {
        way.later_answer = beyond(way.answer, answer);
        way.later_operand = beyond(way.to_leaf + way.to_rank, there) +
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, behind_operand(way) - operand));
        way.nearest_there = there;
        way.nearest_answer = answer;
        way.result = static_cast<std::uint64_t>(std::max<std::int64_t>(0,
            operand + static_cast<std::int64_t>(way.answered) - static_cast<std::int64_t>(way.to_leaf)));
    }
    return out;
}

}  // namespace weft
