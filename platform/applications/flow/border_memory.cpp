#include "platform/applications/flow/border_memory.h"

#include <algorithm>

namespace weft {

void BorderMemory::add(std::uint32_t job, FlowCore::JobId core, std::uint32_t endpoint, bool stores,
    std::uint64_t address, std::uint64_t bytes)
{
    if (bytes == 0) return;
    jobs_[job].core = core;
    std::uint64_t begin = address - address % line_bytes;
    std::uint64_t end = (address + bytes + line_bytes - 1) / line_bytes * line_bytes;
    Ranges& ranges = ranges_[endpoint][stores ? 1 : 0];
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second.end >= begin && std::prev(next)->second.job == job) --next;
    while (next != ranges.end() && next->first <= end && next->second.job == job) {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second.end);
        next = ranges.erase(next);
    }
    ranges[begin] = {end, job};
}

void BorderMemory::close(std::uint32_t job)
{
    if (jobs_.erase(job) == 0) return;
    for (auto& [endpoint, both] : ranges_)
        for (Ranges& ranges : both)
            for (auto at = ranges.begin(); at != ranges.end();)
                at = at->second.job == job ? ranges.erase(at) : std::next(at);
}

BorderMemory::Ps BorderMemory::wait(const Access& access, Ps at)
{
    const auto known = ranges_.find(access.endpoint);
    const bool whole_store = access.stores && access.bytes == line_bytes;
    Job* job = nullptr;
    if (known != ranges_.end() && !whole_store) {
        const Ranges& ranges = known->second[access.stores ? 1 : 0];
        const auto next = ranges.upper_bound(access.address);
        if (next != ranges.begin() && std::prev(next)->second.end > access.address)
            job = &jobs_.at(std::prev(next)->second.job);
    }
    if (job == nullptr) return access.stores ? 0 : core_.serve_outside(access.home, false, at);
    const std::uint64_t line = access.address / line_bytes;
    Ps& there = job->there[line / page_lines][line % page_lines];
    if (there > 0) return there > at ? there - at : 0;
    const bool first = core_.reads_memory_outside(job->core, access.home, access.bytes);
    const Ps wait = core_.serve_outside(access.home, first, at);
    there = at + wait;
    return wait;
}

}  // namespace weft
