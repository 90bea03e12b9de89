// Lines of a slice that there is no room for.
#include <algorithm>

#include "sc_models/l2/l2_slice.h"

namespace weft {

// No room: it takes its turn again when a fill or a write-back has ended.
void L2Slice::stall(Line& line, Time ready, StalledLines::Outcome how)
{
    Part& own = part(partition_of(line));
    line.scratch.slice.ready = ready;
    if (own.looking) {
        own.outcome = how;
    } else {
        if (own.contents && shows_early(line)) debug(partition_of(line), line);
        own.stalled.add(line, line.scratch.slice.number, how);
    }
}

void L2Slice::wait_for_room(Line& line, Time ready)
{
    Part& own = part(partition_of(line));
    if (own.looking)
        own.full = true;
    else
        ++waited_for_room_;
    line.scratch.slice.without_room = true;
    ++own.without_room;
    stall(line, ready, StalledLines::Outcome::stays);
}

// In order, as if they had just arrived.
void L2Slice::retry_stalled(Part& own)
{
    const Time now = event_queue().now();
    own.looking = true;
    own.full = false;
    own.stalled.turn([&] { return !own.full && own.fills.size() < spec_.outstanding_misses; },
        [&](Line& line, std::uint64_t sector) {
            const Time again = line.scratch.slice.turned_away ? now + spec_.latency : now;
            line.scratch.slice.turned_away = false;
            if (line.scratch.slice.without_room) --own.without_room;
            line.scratch.slice.without_room = false;
            const std::size_t fills = own.fills.size();
            own.outcome = StalledLines::Outcome::gone;
            look_up(line, std::max(again, line.scratch.slice.ready));
            if (own.fills.size() > fills) own.stalled.arrived(sector);
            return own.outcome;
        });
    own.looking = false;
}

}  // namespace weft
