#include "platform/applications/flow/border_memory.h"

#include <algorithm>

namespace weft {

void BorderMemory::add(std::uint32_t job, FlowCore::JobId core, std::uint32_t endpoint, bool stores,
    std::uint64_t address, std::uint64_t bytes)
{
    if (bytes == 0) return;
    Job& of = jobs_[job];
    of.core = core;
    std::uint64_t begin = address - address % line_bytes;
    std::uint64_t end = (address + bytes + line_bytes - 1) / line_bytes * line_bytes;
    Ranges& ranges = of.ranges[endpoint][stores ? 1 : 0];
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second >= begin) --next;
    while (next != ranges.end() && next->first <= end) {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = ranges.erase(next);
    }
    ranges[begin] = end;
}

void BorderMemory::close(std::uint32_t job) { jobs_.erase(job); }

// The oldest job by which the first access goes to memory; null: none does.
BorderMemory::Job* BorderMemory::job_of(const Access& access)
{
    for (auto& [number, job] : jobs_) {
        const auto known = job.ranges.find(access.endpoint);
        if (known == job.ranges.end()) continue;
        const Ranges& ranges = known->second[access.stores ? 1 : 0];
        const auto next = ranges.upper_bound(access.address);
        if (next != ranges.begin() && std::prev(next)->second > access.address) return &job;
    }
    return nullptr;
}

BorderMemory::Ps BorderMemory::wait(const Access& access, Ps at)
{
    if (access.stores && access.bytes == line_bytes) return 0;
    Job* const job = job_of(access);
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
