// Memory of a rank at flow, as accesses of ranks at lines see it: data that nobody has read yet come from memory, all others from its
// cache.
//
// Which reads may be the first is known from the schedule (first_reads.h); of these each line comes from memory once, and who asks for
// it in the meantime waits for the same one. The same holds for parts of lines that are stored: a cache fetches the rest of such a line
// before it acknowledges (shared_lines.h). Whole lines that are stored need no memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "base/line_size.h"
#include "collectives/flow/flow_core.h"

namespace weft {

class BorderMemory {
public:
    using Ps = std::uint64_t;

    explicit BorderMemory(FlowCore& core) : core_(core) {}

    // The rank at `endpoint` reads (stores) bytes [address, address + bytes) of a job, of which the first access goes to memory.
    void add(std::uint32_t job, FlowCore::JobId core, std::uint32_t endpoint, bool stores, std::uint64_t address,
        std::uint64_t bytes);
    void close(std::uint32_t job);

    struct Access {
        std::uint32_t endpoint = 0;  // of the rank at lines
        std::uint32_t home = 0;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
        bool stores = false;
    };
    // How much later than from an idle cache the data of a line are there, or a part of one is stored. `at`: when it comes.
    Ps wait(const Access& access, Ps at);

private:
    static constexpr std::uint64_t page_lines = 64;
    using Ranges = std::map<std::uint64_t, std::uint64_t>;  // by their first byte, their end; disjoint, in whole lines
    struct Job {
        FlowCore::JobId core = 0;
        std::map<std::uint32_t, std::array<Ranges, 2>> ranges;  // by endpoint, of reads and of stores
        // When each line is in the cache, by page; 0: nobody has asked for it.
        std::unordered_map<std::uint64_t, std::array<Ps, page_lines>> there;
    };

    Job* job_of(const Access& access);

    FlowCore& core_;
    std::map<std::uint32_t, Job> jobs_;  // under way: few
};

}  // namespace weft
