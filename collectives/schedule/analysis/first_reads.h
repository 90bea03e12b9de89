// Which reads of a schedule may be the first of data that a rank has at the beginning: they come from its memory, all others from its
// cache.
//
// That is bytes of its input, wherever they lie in place, that no step has written or read before. What is ordered behind a read is
// not the first; of reads that no order ties (ranks that load from one peer, channels) each may be. In a run of `with_previous` a
// thread begins one read after the other without a wait: whether the first one has come by then, its registers say.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

class FirstReads {
public:
    // `schedule` must pass verify(), and may hold one of several channels (channels.h).
    explicit FirstReads(const Schedule& schedule);

    // `thread` counts as in the schedule with all channels (whole() in channels.h).
    bool is_first(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t source) const;
    // For such a read: the distance, in steps of the same run, back to the step of this thread that began to read the last part of the data; 0: none did.
    std::uint32_t steps_behind(std::uint32_t rank, std::uint32_t thread, std::uint32_t step,
        std::uint32_t source) const;

private:
    struct Read {
        std::uint32_t rank = 0;
        std::uint32_t thread = 0;
        std::uint32_t step = 0;
        std::uint32_t source = 0;
        std::uint32_t behind = 0;  // steps_behind()
    };
    const Read* find(std::uint32_t rank, std::uint32_t thread, std::uint32_t step, std::uint32_t source) const;
    static bool comes_before(const Read& a, const Read& b);

    std::uint32_t channels_;
    std::vector<Read> first_;  // in that order
};

}  // namespace weft
