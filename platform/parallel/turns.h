// What concerns all parts of a run at once: items in front of which a part stops, and the end of a run that cannot progress.
//
// Turns. The executor decides by what all ranks have done until then, so a part stops in front of what the executor does
// (EventQueue::pause_before) until all others have come to the end of the window or to such an item of their own. They are then taken one at
// a time, by due time and number. Nothing else of the other parts depends on them before the window ends, so it does not matter how far
// these are; only the order among such items does.
//
// Steps. From the first window at which nothing is busy anywhere and somebody spins (gpu/units/progress.h), items of all parts run one at a time in
// the order of the run as a whole, until something is busy again. So the poll that is the last in vain is the same, it asks for more work at
// the same time, and the run ends with it.
//
// Looks. What is busy may wait in vain, too (Rules::overdue): the first poll in vain that was issued `period` after the last look asks. Items run
// one at a time from the earliest time at which such a poll may have its response, so the look comes at the same one.
//
// Over processes. Before each turn and each step the processes agree on the item that is next (Pulse::turn). The process that has it runs
// it; if it is one of the executor's, the others do the same to their copies of the executor (Rules::follow). A poll that must know
// of all parts asks: its process sends a pulse with a question in the place of the next turn, and all answer.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "gpu/units/progress.h"
#include "platform/parallel/transport.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class Turns {
public:
    struct Part {
        EventQueue* event_queue;
        Progress* progress;
    };
    struct Rules {
        // Stage (from 1 on), number, part and end of an item that concerns all parts. Of items that are due at one time, those with lower stages
        // and numbers come first. Null: no item concerns all parts.
        std::function<Turn(const ScheduledItem&)> order = {};
        std::function<void(const Turn&)> follow = {};  // another process has the item of this turn
        Time reach = ~Time{0};  // what follows from such an item leaves other parts alone for so long; at least 1 ps
        Time poll = ~Time{0};   // no poll takes less
        // At the last poll in vain: whether there is more to do. All processes call it, and get the same answer.
        std::function<bool()> help = {};
        // Asked at polls, `period` apart (0: never): whether what is busy waits in vain, too. The same.
        Time period = 0;
        Time answer = 0;  // no response to such a poll comes sooner after its issue
        std::function<bool(Time)> overdue = {};
    };

    // Before anything runs. `parts` are those of this process, `all` is the number of those of all processes.
    Turns(std::vector<Part> parts, std::uint32_t all, Transport& transport, Rules rules);

    // No window is longer, or reaches beyond `limit()`.
    Time longest() const;
    Time limit(const Pulse& all) const
    {
        const Time look = earliest_look(all);
        return all.least < look ? look : ~Time{0};
    }

    // What holds for the parts of this process.
    Pulse pulse() const;
    // Whether items run one at a time in a window that begins at `all.least`; run_instant() then runs those of that time.
    bool steps(const Pulse& all);
    // An error of this process, also an earlier one, ends the turns of all; it is in `failure` then.
    void run_instant(Time least, std::exception_ptr& failure);
    // All parts have run up to `end`, or to an item that concerns all: takes these, and runs what follows.
    void take(Time end, std::exception_ptr& failure);

    // The end that was found may be late: all had polled in vain within the window in which the last was busy.
    bool late() const { return late_; }

private:
    Time earliest_look(const Pulse& all) const;
    bool overdue(Part& part, Time now);
    bool can_go_on();
    bool ask(std::uint64_t question, Time now);
    bool answer(const Pulse& all);
    void ask_all(const Pulse& all);
    bool stopped() const;
    const Part* first(Time end, Turn& turn) const;
    void run(const Part* part, const Turn& own, const Turn& next);

    std::vector<Part> parts_;
    std::uint32_t all_;
    Transport& transport_;
    Rules rules_;
    Time watch_at_ = ~Time{0};
    Time now_ = 0;
    bool stepping_ = false;
    bool late_ = false;
    bool asked_ = false;
    std::uint64_t epochs_ = 0;  // sum since asked
};

}  // namespace weft
