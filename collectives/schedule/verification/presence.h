// Which ranks take part in the collective at a step: whether a peer has entered, and whether a rank waits for what a peer does.
#pragma once

#include <map>
#include <utility>

#include "collectives/schedule/clocks.h"

namespace weft {

class Presence {
public:
    Presence(const Schedule& schedule, const Numbering& numbering, const Clocks& clocks)
        : schedule_(schedule), numbering_(numbering), clocks_(clocks)
    {
    }

    // The step has read a packet that `rank` stored. (What that rank had heard of others by then is not followed.)
    void heard_of(std::uint32_t rank, Epoch step);
    // Whether a step of `rank` comes before the step that `thread` is at.
    bool entered(std::uint32_t rank, std::uint32_t thread) const;
    // The same, before the end of another rank. To be asked behind the last step, as complete_at_end() is.
    bool entered_before_end(std::uint32_t rank, std::uint32_t ends) const;
    // Whether the step is complete when all threads of `rank` have ended.
    bool complete_at_end(Epoch step, std::uint32_t rank) const;

private:
    const Schedule& schedule_;
    const Numbering& numbering_;
    const Clocks& clocks_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
        heard_;  // by rank and reading thread: the first count
};

}  // namespace weft
