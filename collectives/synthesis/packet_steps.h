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
#include "collectives/synthesis/thread_pace.h"

namespace weft {

// The time, ps, at which a thread has seen the last of `bytes` bytes of packets that are there at `tail`; of several merged threads, one
// with so many bytes. `longer`: how much longer a poll takes than in an idle accelerator. Polls have phases of their own, and the last of n
// is seen after n / (n + 1) periods on average: half a period for a single line. Lines that are asked for together are partly in step, and
// two of them count as one poll (measured, docs/models/flow.md).
inline std::uint64_t last_seen_ps(const CostRank& rank, double bytes, std::uint64_t tail, std::uint64_t longer = 0)
{
    constexpr double in_step = 2 * line_bytes;
    const double polls = std::max(1.0, std::ceil(bytes / in_step));
    const std::uint64_t half = rank.last_look_ps - rank.look_ps + longer / 2;
    const double more = (polls - 1) / (polls + 1) * static_cast<double>(half);
    return tail + rank.look_ps + longer / 2 + static_cast<std::uint64_t>(std::llround(more));
}

class PacketSteps {
public:
    using Ps = std::uint64_t;
    struct Times {
        Ps from = 0;   // the first line is ready
        Ps ready = 0;  // and the last one
    };

    explicit PacketSteps(Ps begin = 0)
        : issued_(begin), freed_(begin), asked_(begin), asked_last_(begin), slots_(begin), places_(begin)
    {
    }

    // The next step is the first of a new run.
    void begin_run()
    {
        asked_ = issued_;
        asked_last_ = freed_;
        turns_.clear();
    }
    // No wavefront goes on before.
    void hold_until(Ps time)
    {
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
    Ps issued_;  // of steps so far: the first stores of the last one, and all of them, had been issued
    Ps freed_;
    Ps asked_;  // what these were before the present run of steps, and when those of the run had issued theirs
    Ps asked_last_;
    Ps slots_;   // all lines so far are issued
    Ps places_;  // and would have answers, at the limit of requests in flight
    std::vector<Ps> turns_;
};

}  // namespace weft
