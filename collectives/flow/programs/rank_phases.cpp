#include "collectives/flow/programs/rank_phases.h"

#include <algorithm>

#include "collectives/schedule/algorithms/shapes.h"

namespace weft {

PhasesOfRank::PhasesOfRank(std::vector<algorithms::Axis> axes, std::vector<std::uint32_t> strides, std::uint32_t rank)
    : axes_(std::move(axes)), strides_(std::move(strides)), rank_(rank)
{
}

void PhasesOfRank::write(ThreadWriter& writer, CollectiveOp op)
{
    if (op != CollectiveOp::all_gather)
        for (std::uint32_t a = 0; a < axes_.size(); ++a) collect(writer, a);
    if (op == CollectiveOp::reduce_scatter) return keep(writer);
    for (auto a = static_cast<std::uint32_t>(axes_.size()); a-- > 0;) distribute(writer, a);
}

std::uint32_t PhasesOfRank::peer(std::uint32_t a, std::uint32_t by) const
{
    const std::uint32_t here = rank_ / strides_[a] % axes_[a].size;
    return rank_ - here * strides_[a] + (here + by) % axes_[a].size * strides_[a];
}

// Blocks that differ on later dimensions only.
std::uint32_t PhasesOfRank::blocks(std::uint32_t a) const
{
    std::uint32_t count = 1;
    for (std::size_t later = a + 1; later < axes_.size(); ++later) count *= axes_[later].size;
    return count;
}

std::vector<PhasesOfRank::Group> PhasesOfRank::groups_of(std::uint32_t a, std::uint32_t step) const
{
    std::vector<Group> groups;
    for (const std::uint32_t offset : shapes::pattern_offsets(axes_[a].pattern, axes_[a].size, step)) {
        const std::uint32_t hop = offset - shapes::pattern_parent(axes_[a].pattern, offset);
        if (groups.empty() || groups.back().hop != hop) groups.push_back({hop, {}});
        groups.back().offsets.push_back(offset);
    }
    return groups;
}

void PhasesOfRank::collect(ThreadWriter& writer, std::uint32_t a)
{
    const std::uint32_t size = axes_[a].size;
    std::vector<std::uint32_t> terms(size, terms_);  // by offset of the block's owner
    for (std::uint32_t step = shapes::pattern_steps(axes_[a].pattern, size); step-- > 0;) {
        const std::vector<Group> groups = groups_of(a, step);
        bool first = true;
        for (const Group& group : groups)
            for (std::size_t i = 0; i < group.offsets.size();) {
                std::size_t end = i;
                while (end < group.offsets.size() && terms[group.offsets[end]] == terms[group.offsets[i]]) ++end;
                const auto planes = static_cast<std::uint32_t>(end - i);
                writer.move(terms[group.offsets[i]], true, {peer(a, group.hop)}, planes * blocks(a), Buffer::scratch);
                if (!first) writer.with_previous();
                first = false;
                i = end;
            }
        for (const Group& group : groups) writer.signal(peer(a, group.hop));
        for (const Group& group : groups) {
            writer.wait(peer(a, size - group.hop));
            for (const std::uint32_t offset : group.offsets) ++terms[offset - group.hop];
        }
    }
    terms_ = terms[0];
}

void PhasesOfRank::distribute(ThreadWriter& writer, std::uint32_t a)
{
    const std::uint32_t size = axes_[a].size;
    for (std::uint32_t step = 0; step < shapes::pattern_steps(axes_[a].pattern, size); ++step) {
        const std::vector<Group> groups = groups_of(a, step);
        std::vector<Group> moves;  // by offset of the blocks (`hop`): the hops to the ranks that get them
        for (const Group& group : groups)
            for (const std::uint32_t offset : group.offsets) {
                const auto at = std::find_if(moves.begin(), moves.end(),
                    [&](const Group& move) { return move.hop == offset - group.hop; });
                (at == moves.end() ? moves.insert(moves.end(), {offset - group.hop, {}}) : at)
                    ->offsets.push_back(group.hop);
            }
        bool first = true;
        for (std::size_t i = 0; i < moves.size();) {
            std::vector<std::uint32_t> to;
            for (const std::uint32_t hop : moves[i].offsets) to.push_back(peer(a, hop));
            std::size_t end = i + 1;
            if (!formed_) {
                to.insert(to.begin(), rank_);
                writer.move(terms_, true, to, blocks(a));
                formed_ = true;
            } else {
                while (end < moves.size() && moves[end].offsets == moves[i].offsets) ++end;
                writer.forward(to, static_cast<std::uint32_t>(end - i) * blocks(a));
            }
            if (!first) writer.with_previous();
            first = false;
            i = end;
        }
        for (const Group& group : groups) writer.signal(peer(a, group.hop));
        for (const Group& group : groups) writer.wait(peer(a, size - group.hop));
    }
}

}  // namespace weft
