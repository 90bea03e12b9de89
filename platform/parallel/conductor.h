// Runs the parts of a run window by window.
//
// A window ends one lookahead after the earliest thing that is due anywhere: whatever a part sends within it arrives no earlier than its
// end, so each part can run it by itself, in any order. Then records are exchanged and handed over, before anything of
// the next window runs.
//
// Where an item concerns all parts (take_turns()), the part stops in front of it until all others have come to the end of the window or to
// such an item of their own. Nothing of the other parts depends on it before the window ends, so it does not matter how far they are;
// only the order among these items does.
//
// That nothing can change any more (gpu/progress.h) is asked at the ends of windows, over all parts: nothing busy, and everybody who spins
// has polled in vain since.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "gpu/progress.h"
#include "platform/parallel/cut_link.h"
#include "platform/parallel/transport.h"
#include "platform/parallel/worker_pool.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class Conductor {
public:
    struct Part {
        EventQueue* event_queue;
        Progress* progress;
    };
    enum class End : std::uint8_t {
        idle,     // nothing is due any more
        until,    // what is left is due later
        stopped,  // a module or the watch stopped the run
        stuck     // those who spin cannot be helped any more
    };

    // `links` by number. `lookahead` is at least 1 ps, `threads` from 1 to the number of parts.
    Conductor(std::vector<Part> parts, std::vector<CutLink*> links, Transport& transport, Time lookahead,
        std::size_t threads = 1);

    // Up to and including `until`. `between` is called after every window with its end, while no part runs; false stops the run.
    End run(Time until, const std::function<bool(Time)>& between = nullptr);
    // Some items concern all parts, and parts stop in front of them (EventQueue::pause_before). They are taken one at a time, by due
    // time, then by what `order` says of them. `reach`: how long what follows from one leaves other parts alone, at least 1 ps.
    using Order = std::function<std::pair<unsigned, std::uint64_t>(const ScheduledItem&)>;
    void take_turns(Order order, Time reach);
    // Parts run, and messages are read, from the last to the first: the result is the same.
    void run_backwards() { backwards_ = true; }

    std::uint64_t windows() const { return windows_; }
    std::uint64_t records() const;
    Time last() const;  // time of the last item that ran

private:
    // What a thread notes of its part between two barriers.
    struct alignas(64) Note {
        Time least = 0;
        std::uint64_t records = 0;
    };

    bool exchange();
    void deliver(std::size_t part);
    bool stuck();
    void run_window();

    std::vector<Part> parts_;
    std::vector<CutLink*> links_;
    Transport& transport_;
    Time lookahead_;
    WorkerPool pool_;
    std::vector<Note> notes_;  // by part
    Order order_;  // null: nothing concerns all parts
    bool backwards_ = false;
    Time begin_ = 0;  // of the window to come
    std::uint64_t windows_ = 0;
    bool asked_ = false;
    std::uint64_t epochs_ = 0;  // sum since asked
};

}  // namespace weft
