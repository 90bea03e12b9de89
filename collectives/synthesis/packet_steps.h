// The steps in packets of a thread, one after another: when the first of what each stores can leave, and the last.
//
// A wavefront asks for what it loads when it is done with the step before, and then waits for packets; others need not have come as
// far, so first and last lines have times of their own. Steps of a run take turns at the registers. No step waits for acknowledges:
// all share the issue slots and the requests in flight of their unit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/line_size.h"
#include "collectives/synthesis/packet_polls.h"
#include "collectives/synthesis/thread_pace.h"

namespace weft {

class PacketSteps {
public:
    using Ps = std::uint64_t;
    struct Times {
        Ps from = 0;   // the first line is ready
        Ps ready = 0;  // and the last one
    };
    struct Found {
        Ps first = 0;
        Ps last = 0;
    };

    // `slots`: in which the rank looks for packets at once.
    explicit PacketSteps(Ps begin = 0, std::size_t slots = 1)
        : looked_for_(static_cast<double>(slots)), issued_(begin), freed_(begin), asked_(begin), asked_last_(begin),
          slots_(begin), places_(begin)
    {
    }

    // When the first lines that a step loads are found, whose packets come from `head` on, and the last ones, which come at `tail`; of the
    // bytes of several merged threads, one has `each`. `new_run`: the step begins one. A poll of idle units takes `longer` in fact.
    Found found(const PacketPolls& polls, const MoveLoad& load, const ThreadPace& pace, bool new_run, double each,
        Ps head, Ps tail, Ps longer = 0) const
    {
        const std::size_t at_once = pace.at_once(load);
        const Ps turn = new_run || turns_.size() < at_once ? 0 : turns_[turns_.size() - at_once];
        const double far = polls.far_share(each * looked_for_);
        Found out;
        out.first = polls.found(std::max(new_run ? issued_ : asked_, turn), head, far, longer);
        // Lines that all are asked for at once are looked for in step, those behind them by polls of their own.
        const Ps last = std::max(new_run ? freed_ : asked_last_, turn) + pace.slots_ps(load.bytes);
        out.last = pace.rounds(load) > 1 ? polls.last_found(std::ceil(each / (2 * line_bytes)), tail, far, longer)
                                         : polls.found(last, tail, far, longer);
        out.last = std::max(out.first, out.last);
        return out;
    }
    // The thread begins at `now`, if it had no place before.
    void begin(Ps now) { issued_ = freed_ = asked_ = asked_last_ = slots_ = places_ = now; }
    // What found() has said of a step, which is not asked again: polls go on as they have begun.
    const Found* found_before(std::uint32_t step) const { return found_step_ == step ? &found_ : nullptr; }
    const Found& keep(std::uint32_t step, const Found& found)
    {
        found_step_ = step;
        return found_ = found;
    }
    // The next step is the first of a new run.
    void begin_run()
    {
        asked_ = issued_;
        asked_last_ = freed_;
        turns_.clear();
    }
    // No wavefront goes on to `step` before, as is known when the thread comes to it.
    void hold_until(Ps time, std::uint32_t step)
    {
        if (held_ == step) return;
        held_ = step;
        issued_ = std::max(issued_, time);
        freed_ = std::max(freed_, time);
    }
    // The thread is at `time`, and the last packets that it reads are seen at `last`. Others make its loads take `spread`.
    Times add(const MoveLoad& load, const ThreadPace& pace, Ps time, Ps last, Ps spread = 0)
    {
        const std::size_t at_once = pace.at_once(load);
        const Ps turn = turns_.size() < at_once ? 0 : turns_[turns_.size() - at_once];
        const Ps from = std::max(time, std::max(asked_, turn) + load.load_ps);
        // The last wavefront fills its registers so often.
        const double rounds = pace.rounds(load);
        const auto own_ps = static_cast<Ps>(rounds * static_cast<double>(load.load_ps));
        slots_ = std::max(slots_, from) + pace.slots_ps(load);
        places_ = std::max(places_, from) + pace.outstanding_ps(load);
        const Ps places = places_ - std::min(places_, load.round_ps);
        const Ps ready = std::max(
            {from + std::max(pace.issue_ps(load), spread), std::max(asked_last_, turn) + own_ps, slots_, places, last});
        turns_.push_back(ready);
        // The first wavefront is done with its share a round before the last one.
        const auto first = static_cast<Ps>(static_cast<double>(ready - from) * (1 - 1 / rounds));
        issued_ = std::max(issued_, from + first);
        freed_ = std::max(freed_, ready);
        return {from, ready};
    }

private:
    std::uint32_t held_ = ~std::uint32_t{0};        // the last step before which they were held
    std::uint32_t found_step_ = ~std::uint32_t{0};  // of found_
    Found found_;
    double looked_for_;  // slots
    Ps issued_;          // of steps so far: the first stores of the last one, and all of them, had been issued
    Ps freed_;
    Ps asked_;  // what these were before the present run of steps, and when those of the run had issued theirs
    Ps asked_last_;
    Ps slots_;   // all lines so far are issued
    Ps places_;  // and would have answers, at the limit of requests in flight
    std::vector<Ps> turns_;
};

}  // namespace weft
