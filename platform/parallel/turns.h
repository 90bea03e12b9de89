// What concerns all parts of a run at once: items in front of which a part stops, and the end of a run that cannot progress. For parts of
// one process.
//
// Turns. The executor decides by what all ranks have done until then, so a part stops in front of what the executor does
// (EventQueue::pause_before) until all others have come to the end of the window or to such an item of their own. They are then taken one at
// a time, by due time and number. Nothing else of the other parts depends on them before the window ends, so it does not matter how far
// these are; only the order among such items does.
//
// Steps. From the first window at which nothing is busy anywhere and somebody spins (gpu/progress.h), items of all parts run one at a time in
// the order of the run as a whole, until something is busy again. So the poll that is the last in vain is the same, it asks for more work at
// the same time, and the run ends with it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gpu/progress.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class Turns {
public:
    struct Part {
        EventQueue* event_queue;
        Progress* progress;
    };
    struct Rules {
        // Of items that are due at one time, those with lower numbers come first; null: no item concerns all parts.
        std::function<std::pair<unsigned, std::uint64_t>(const ScheduledItem&)> order = {};
        Time reach = ~Time{0};  // what follows from such an item leaves other parts alone for so long; at least 1 ps
        Time poll = ~Time{0};   // no poll takes less
        // At the last poll in vain: whether there is more to do.
        std::function<bool()> help = {};
        // Asked at polls, `period` apart (0: never): whether what is busy waits in vain, too.
        Time period = 0;
        std::function<bool(Time)> overdue = {};
    };

    // Before anything runs.
    Turns(std::vector<Part> parts, Rules rules);

    // No window is longer, or reaches beyond `limit()`.
    Time longest() const;
    Time limit(Time least) const { return least < watch_at_ ? watch_at_ : ~Time{0}; }

    // Whether items run one at a time in a window that begins at `least`; run_instant() then runs those of that time.
    bool steps(Time least);
    void run_instant(Time least);
    // All parts have run up to `end`, or to an item that concerns all: takes these, and runs what follows.
    void take(Time end);

    // The end that was found may be late: all had polled in vain within the window in which the last was busy.
    bool late() const { return late_; }

private:
    bool anything_busy() const;
    bool anybody_spins() const;
    bool all_in_vain() const;
    bool overdue(Part& part, Time now);
    bool can_go_on();
    void ask_all();
    const Part* first(Time end) const;

    std::vector<Part> parts_;
    Rules rules_;
    Time watch_at_ = ~Time{0};
    Time now_ = 0;
    bool stepping_ = false;
    bool late_ = false;
    bool asked_ = false;
    std::uint64_t epochs_ = 0;  // sum since asked
};

}  // namespace weft
