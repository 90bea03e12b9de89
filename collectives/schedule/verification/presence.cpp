#include "collectives/schedule/verification/presence.h"

namespace weft {

void Presence::heard_of(std::uint32_t rank, Epoch step) { heard_.try_emplace({rank, step.thread}, step.count); }

bool Presence::entered(std::uint32_t rank, std::uint32_t thread) const
{
    for (std::uint32_t t = 0; t < schedule_.ranks[rank].threads.size(); ++t)
        if (clocks_.ordered({numbering_.thread(rank, t), 1}, thread)) return true;
    for (auto heard = heard_.lower_bound({rank, 0}); heard != heard_.end() && heard->first.first == rank; ++heard)
        if (clocks_.ordered({heard->first.second, heard->second}, thread)) return true;
    return false;
}

bool Presence::entered_before_end(std::uint32_t rank, std::uint32_t ends) const
{
    for (std::uint32_t t = 0; t < schedule_.ranks[ends].threads.size(); ++t)
        if (entered(rank, numbering_.thread(ends, t))) return true;
    return false;
}

bool Presence::complete_at_end(Epoch step, std::uint32_t rank) const
{
    if (step.count == 0 || numbering_.owner(step.thread).rank == rank) return true;
    for (std::uint32_t t = 0; t < schedule_.ranks[rank].threads.size(); ++t)
        if (clocks_.ordered(step, numbering_.thread(rank, t))) return true;
    return false;
}

}  // namespace weft
