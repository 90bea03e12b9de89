#include "collectives/engine/traces/communication_order.h"

#include <algorithm>

namespace weft {

CommunicationOrder::CommunicationOrder(Rule rule, std::uint32_t ranks, std::uint64_t places)
    : rule_(rule), free_(ranks, places)
{
}

void CommunicationOrder::add(std::uint32_t rank, std::uint64_t node)
{
    const Number number = next_++;
    candidates_[number] = {{rank}, {}, {node}, 1};
    complete(number);
}

void CommunicationOrder::add(std::uint32_t rank, std::uint64_t node, const Members& members, const Kind& kind)
{
    Family& family = families_[{members, kind}];
    if (family.came.empty()) family.came.assign(members.size(), 0);
    const auto found = std::find(members.begin(), members.end(), rank);
    const auto position = static_cast<std::size_t>(found - members.begin());
    const std::uint64_t instance = family.came[position]++;
    const auto [open, fresh] = family.open.try_emplace(instance, next_);
    const Number number = open->second;
    if (fresh) {
        ++next_;
        candidates_[number] = {members, kind, std::vector<std::optional<std::uint64_t>>(members.size()), 0};
    }
    Candidate& candidate = candidates_[number];
    candidate.nodes[position] = node;
    if (++candidate.here < members.size()) return;
    family.open.erase(open);
    complete(number);
}

void CommunicationOrder::complete(Number number)
{
    const auto came = static_cast<std::int64_t>(number);
    if (rule_ == Rule::lifo) {
        ready_[{0, -came}] = number;
    } else {
        ready_[{~candidates_[number].kind.priority, came}] = number;
    }
}

void CommunicationOrder::release(std::uint32_t rank) { ++free_[rank]; }

std::vector<CommunicationOrder::Start> CommunicationOrder::start()
{
    std::vector<Start> out;
    for (auto entry = ready_.begin(); entry != ready_.end();) {
        const auto found = candidates_.find(entry->second);
        const Candidate& candidate = found->second;
        if (!std::all_of(candidate.members.begin(), candidate.members.end(),
                [this](std::uint32_t rank) { return free_[rank] > 0; })) {
            ++entry;
            continue;
        }
        for (std::size_t position = 0; position < candidate.members.size(); ++position) {
            --free_[candidate.members[position]];
            out.push_back({candidate.members[position], *candidate.nodes[position]});
        }
        candidates_.erase(found);
        entry = ready_.erase(entry);
    }
    return out;
}

std::vector<CommunicationOrder::Incomplete> CommunicationOrder::incomplete() const
{
    std::vector<Incomplete> out;
    for (const auto& [number, candidate] : candidates_) {
        if (candidate.here == candidate.members.size()) continue;
        Incomplete entry{candidate.kind, {}, {}};
        for (std::size_t position = 0; position < candidate.members.size(); ++position)
            (candidate.nodes[position] ? entry.here : entry.missing).push_back(candidate.members[position]);
        out.push_back(std::move(entry));
    }
    return out;
}

}  // namespace weft
