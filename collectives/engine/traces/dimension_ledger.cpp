#include "collectives/engine/traces/dimension_ledger.h"

#include <algorithm>
#include <utility>

namespace weft {

DimensionLedger::Entry DimensionLedger::open(std::vector<std::uint32_t> members, std::vector<Work> work)
{
    const std::size_t inside = members.size();
    open_.emplace(next_, Open{std::move(members), std::move(work), inside});
    return next_++;
}

void DimensionLedger::leave(Entry entry)
{
    const auto found = open_.find(entry);
    if (--found->second.inside == 0) open_.erase(found);
}

std::vector<DimensionLedger::Time> DimensionLedger::outstanding(const std::vector<std::uint32_t>& members,
    Time now) const
{
    std::map<std::uint32_t, std::vector<Time>> by_member;
    for (const auto& [number, open] : open_) {
        std::vector<Time> left(dimensions_, 0);
        for (const Work& work : open.work)
            if (work.end > now) left[work.dimension] += work.end - std::max(work.start, now);
        for (const std::uint32_t member : open.members) {
            std::vector<Time>& sum = by_member.try_emplace(member, dimensions_, 0).first->second;
            for (std::uint32_t d = 0; d < dimensions_; ++d) sum[d] += left[d];
        }
    }
    std::vector<Time> most(dimensions_, 0);
    for (const std::uint32_t member : members) {
        const auto found = by_member.find(member);
        if (found == by_member.end()) continue;
        for (std::uint32_t d = 0; d < dimensions_; ++d) most[d] = std::max(most[d], found->second[d]);
    }
    return most;
}

}  // namespace weft
