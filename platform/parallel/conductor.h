// Runs the parts of a run window by window.
//
// A window ends one lookahead after the earliest thing that is due anywhere: whatever a part sends within it arrives no earlier than its
// end, so each part can run it by itself, in any order. Then records are exchanged and handed over, before anything of
// the next window runs.
//
// What concerns all parts at once, and that nothing can change any more (gpu/units/progress.h), is decided in turns (turns.h).
//
// Where processes have parts of the run, each of them has a conductor, and all take the same decisions: what these follow from is
// agreed on once a window (Pulse).
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "gpu/units/progress.h"
#include "platform/parallel/cut_link.h"
#include "platform/parallel/transport.h"
#include "platform/parallel/turns.h"
#include "platform/parallel/worker_pool.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class Conductor {
public:
    using Part = Turns::Part;
    // Asked between two windows, while no part runs.
    struct Between {
        std::function<bool(Time end)> go_on;  // false: stop the run. Null: nobody asks
        // Whether something came to pass here that all processes must know; then all of them call the other. Null: never.
        std::function<bool()> has_news;
        std::function<void()> share_news;
    };
    enum class End : std::uint8_t {
        idle,    // nothing is due any more
        until,   // what is left is due later
        stopped  // a module or the watch stopped the run
    };

    // `parts` are those of this process, the first of which has the number `first` among `all`. `links` by number, null: of other processes.
    // `lookahead` is at least 1 ps, `threads` from 1 to the number of parts. `rules`: for what concerns all parts at once.
    Conductor(std::vector<Part> parts, std::vector<CutLink*> links, Transport& transport, Time lookahead,
        Turns::Rules rules = {}, std::size_t threads = 1, std::uint32_t first = 0, std::uint32_t all = 0);

    // Up to and including `until`. What a part throws within a window ends the run in all processes; it is rethrown here.
    End run(Time until, const Between& between = {});
    // Parts run, and messages are read, from the last to the first: the result is the same.
    void run_backwards() { backwards_ = true; }

    // Behind a run that ended with `until`: when something is due next, in any process.
    Time next() const { return next_; }
    // The end of a run that cannot progress may have been found late.
    bool late() const { return turns_.late(); }
    std::uint64_t windows() const { return windows_; }
    // Of this process. Wall time, for people; nothing follows from it.
    struct Costs {
        std::uint64_t records = 0;  // that have come
        double exchange_s = 0;      // messages, agreements and waits for other processes; those of turns apart
        double deliver_s = 0;
    };
    Costs costs() const;
    Time last() const;  // time of the last item that ran

private:
    // What a thread notes of its part between two barriers.
    struct alignas(64) Note {
        Time least = 0;
        std::uint64_t records = 0;
    };

    void each(const std::function<void(std::size_t part)>& work);
    bool exchange();
    Pulse agree(const Pulse& own);
    void deliver(std::size_t part);
    void run_window(const Pulse& all);
    void look(const Between& between);
    void attempt(const std::function<void()>& action);
    void come_to_rest();

    std::vector<Part> parts_;
    std::vector<CutLink*> links_;
    Transport& transport_;
    Time lookahead_;
    std::uint32_t first_;
    std::uint32_t all_;
    WorkerPool pool_;
    Turns turns_;
    std::vector<Note> notes_;  // by part
    std::exception_ptr failure_;
    bool stopped_ = false;  // by a module of this process
    bool wanted_ = true;    // somebody here wants the run to go on
    bool backwards_ = false;
    Time next_ = ~Time{0};
    Time begin_ = 0;  // of the window to come
    std::uint64_t windows_ = 0;
    double exchange_s_ = 0;
    double deliver_s_ = 0;
};

}  // namespace weft
