// The synchronisation monitor of one L2 slice: holds requests that wait for a flag and says who is to be answered.
//
// Two kinds wait. `await` (a waiting atomic) is held until the word is at least its operand; the slice compares before it
// holds it, so no change can be missed. `monitor` (monitor/mwait) is held until the word changes after it arrived: a change
// between the waiter's last look and its arrival is missed, and only a time-out helps.
//
// `entries` waiters have a place in the table. Further ones go to a log in memory: they are woken
// `log_latency` later. Nothing is lost. Waking: `all` that are due, or `one`, the first to come; the others of that word
// wait for the next change.
//
// Statistics: waiters held, most at once, waiters in the log, wake-ups, time-outs.
#pragma once

#include <cstdint>
#include <vector>

#include "sc_models/l2/l2_spec.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

class SyncMonitor {
public:
    struct Spec {
        std::uint64_t entries = 64;
        Time log_latency = 0;
        WakePolicy wake = WakePolicy::all;
        Time timeout = 0;  // of `monitor` requests; 0: none
    };
    explicit SyncMonitor(const Spec& spec) : spec_(spec) {}

    void hold(Line& line, Time now);

    // The word at local address `local` is `value` now. Calls wake(line, later) for every waiter to be answered, in
    // the order in which they came.
    template <typename Wake>
    void changed(std::uint64_t local, std::uint64_t value, Wake wake)
    {
        for (std::size_t i = 0; i < waiters_.size();) {
            const Waiter waiter = waiters_[i];
            if (waiter.local != local || !due(*waiter.line, value)) {
                ++i;
                continue;
            }
            remove(i);
            ++counts_.wakes;
            wake(*waiter.line, waiter.logged ? spec_.log_latency : 0);
            if (spec_.wake == WakePolicy::one) return;
        }
    }

    // Calls expire(line, later) for every `monitor` whose time is over. False: there was none.
    template <typename Expire>
    bool expire(Time now, Expire expire)
    {
        const std::uint64_t before = counts_.timeouts;
        for (std::size_t i = 0; i < waiters_.size();) {
            const Waiter waiter = waiters_[i];
            if (waiter.deadline > now) {
                ++i;
                continue;
            }
            remove(i);
            ++counts_.timeouts;
            expire(*waiter.line, waiter.logged ? spec_.log_latency : 0);
        }
        return counts_.timeouts > before;
    }
    static constexpr Time never = ~Time{0};
    Time next_deadline() const;

    struct Waiting {
        std::uint64_t local;
        const Line* line;
    };
    std::vector<Waiting> waiting() const;

    struct Counts {
        std::uint64_t held = 0;
        std::uint64_t most = 0;
        std::uint64_t logged = 0;
        std::uint64_t wakes = 0;
        std::uint64_t timeouts = 0;
    };
    const Counts& counts() const { return counts_; }
    void reset_counts() { counts_ = Counts{}; }

private:
    struct Waiter {
        std::uint64_t local;
        Line* line;
        Time deadline;
        bool logged;
    };

    static bool due(const Line& line, std::uint64_t value)
    {
        return line.op == LineOp::monitor || value >= line.operand();
    }
    void remove(std::size_t place);

    Spec spec_;
    std::vector<Waiter> waiters_;  // in the order in which they came
    std::uint64_t in_table_ = 0;
    Counts counts_;
};

}  // namespace weft
