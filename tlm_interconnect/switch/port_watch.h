// Statistics of the sending side of a link direction, by virtual channel, to the picosecond. Attached to a port when
// somebody wants to know; a port without one pays nothing.
//
// Of a channel:
//   queue             lines that wait for this port: their mean over time, and the most at a time
//   credits           slots of the receiver's buffer that are not ours to use: a line is on its way to the slot, in it,
//                     or the credit is on its way back. Mean over time, and the most at a time
//   credit stall      time in which the channel had lines and no credit
//   arbitration wait  of a line: time at the head of its input's queue, with a credit, while lines of other inputs or
//                     channels had the wire. Sum over lines, and the longest
// What the wire takes for the line before it of the same input is no wait.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/time.h"

namespace weft {

class PortWatch {
public:
    struct Channel {
        std::uint64_t lines = 0;       // sent
        std::uint64_t queue_area = 0;  // lines x ps
        std::uint32_t queue_peak = 0;
        std::uint64_t credit_area = 0;  // credits x ps
        std::uint32_t credit_peak = 0;
        Time credit_stall = 0;         // ps
        Time arbitration_wait = 0;     // ps, summed over lines
        Time arbitration_longest = 0;  // ps
    };

    // The channels of the port, and its inputs.
    void start(std::vector<std::uint8_t> vcs, unsigned inputs);
    // The channels as numbered in virtual_channel.h.
    const std::vector<std::uint8_t>& vcs() const { return vcs_; }
    // Everything up to `now`. Areas and times of two moments may be subtracted.
    Channel at(unsigned slot, Time now) const;

    // For the port. A line of `input` joins the queue of channel number `slot`.
    void queued(unsigned slot, unsigned input, Time now)
    {
        State& state = states_[slot];
        state.count.queue_area += state.queue * (now - state.queue_since);
        state.queue_since = now;
        state.count.queue_peak = std::max(state.count.queue_peak, ++state.queue);
        if (state.queue == 1) state.blocked_since = now;
        Head& head = heads_[slot * inputs_ + input];
        if (head.lines++ == 0) head.since = now;
    }

    // Of a channel with lines: its next credit can be used from `credit_at` on. Nobody has taken one since the last call.
    void stalled_until(unsigned slot, Time now, Time credit_at)
    {
        State& state = states_[slot];
        const Time end = std::min(now, credit_at);
        if (end > state.blocked_since) state.count.credit_stall += end - state.blocked_since;
        state.blocked_since = now;
    }
    // Up to the last call.
    Time stall(unsigned slot) const { return states_[slot].count.credit_stall; }

    // A line leaves, with a credit that could be used from `credit_at` on, and has the wire until `wire_free`.
    void sent(unsigned slot, unsigned input, Time now, Time credit_at, Time wire_free)
    {
        State& state = states_[slot];
        Head& head = heads_[slot * inputs_ + input];
        ++state.count.lines;
        state.count.queue_area += state.queue-- * (now - state.queue_since);
        state.queue_since = now;
        stalled_until(slot, now, credit_at);
        const Time able = std::max(head.since, credit_at);
        const Time wait = now > able ? now - able : 0;
        state.count.arbitration_wait += wait;
        state.count.arbitration_longest = std::max(state.count.arbitration_longest, wait);
        --head.lines;
        head.since = wire_free;
        for (; !state.back.empty() && state.back.front() <= now; state.back.pop_front()) --state.credits;
        state.count.credit_peak = std::max(state.count.credit_peak, ++state.credits);
        state.count.credit_area -= now;
    }

    // A credit comes back at `due`.
    void returned(unsigned slot, Time due)
    {
        State& state = states_[slot];
        state.count.credit_area += due;
        state.back.push_back(due);
    }

private:
    struct State {
        Channel count;
        std::uint32_t queue = 0;
        std::uint32_t credits = 0;  // away, those in `back` included
        Time queue_since = 0;
        Time blocked_since = 0;
        std::deque<Time> back;  // credits on their way back
    };
    struct Head {
        Time since = 0;
        std::uint32_t lines = 0;
    };
    std::vector<std::uint8_t> vcs_;
    unsigned inputs_ = 1;
    std::vector<State> states_;
    std::vector<Head> heads_;
};

}  // namespace weft
