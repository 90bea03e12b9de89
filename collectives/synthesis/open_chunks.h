// Chunks that a thread has written or read without a fence since: a step that touches them needs one first, as the lowering of
// schedules has it (collectives/engine/lines/step_order.h).
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

class OpenChunks {
public:
    // Whether a fence has to come before `step`.
    bool meets(const Schedule& schedule, const Step& step) const
    {
        for (const ChunkRef& source : step.sources)
            if (meets(written_, range(schedule, source, step))) return true;
        for (const ChunkRef& destination : step.destinations)
            if (meets(written_, range(schedule, destination, step)) || meets(read_, range(schedule, destination, step)))
                return true;
        return false;
    }
    void add(const Schedule& schedule, const Step& step)
    {
        for (const ChunkRef& source : step.sources) read_.push_back(range(schedule, source, step));
        for (const ChunkRef& destination : step.destinations) written_.push_back(range(schedule, destination, step));
    }
    void fence() { written_.clear(); }
    void barrier() { read_.clear(); }

private:
    struct Range {
        std::uint32_t rank;
        Buffer memory;
        std::uint32_t begin;
        std::uint32_t end;
        std::uint32_t part;
        std::uint32_t parts;
    };

    static Range range(const Schedule& schedule, const ChunkRef& ref, const Step& step)
    {
        const std::uint32_t first = ref.index + schedule.in_place_offset(ref.rank, ref.buffer);
        return {ref.rank, schedule.home(ref.buffer), first, first + ref.count, step.part, step.parts};
    }
    // Packets need no order.
    static bool meets(const std::vector<Range>& open, const Range& range)
    {
        if (range.memory == Buffer::packets) return false;
        for (const Range& other : open)
            if (other.rank == range.rank && other.memory == range.memory && other.begin < range.end &&
                range.begin < other.end && (other.parts != range.parts || other.part == range.part))
                return true;
        return false;
    }

    std::vector<Range> written_;
    std::vector<Range> read_;
};

}  // namespace weft
