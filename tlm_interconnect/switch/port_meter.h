// The statistics of an output port: transactions, time without a credit, the latency breakdown of traced lines, and,
// where somebody has
// attached a PortWatch, every channel to the picosecond.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "tlm_interconnect/protocol/credit_account.h"
#include "tlm_interconnect/switch/channel_queues.h"
#include "tlm_interconnect/switch/port_watch.h"

namespace weft {

class PortMeter {
public:
    void attach(PortWatch& watch, const ChannelQueues& queues);
    bool watched() const { return watch_ != nullptr; }

    // `usable`: since when the channel's next credit can be used (OutputPort::usable()).
    template <class Usable>
    void queued(Line& line, unsigned slot, unsigned input, Time now, const Usable& usable)
    {
        if (watch_ != nullptr) watch_->queued(slot, input, now);
        if (line.traced()) begin_wait(line, slot, now, watch_ != nullptr ? usable(slot) : 0);
    }
    void returned(unsigned slot, Time due)
    {
        if (watch_ != nullptr) watch_->returned(slot, due);
    }
    // Before a channel is chosen: when the next credit of each that has lines can be used.
    template <class Usable>
    void look(const ChannelQueues& queues, Time now, const Usable& usable)
    {
        if (watch_ == nullptr) return;
        for (std::uint32_t rest = queues.occupied(); rest != 0; rest &= rest - 1) {
            const auto slot = static_cast<unsigned>(__builtin_ctz(rest));
            ready_[slot] = usable(slot);
            watch_->stalled_until(slot, now, ready_[slot]);
        }
    }
    // No channel with lines has a credit; then one has.
    void stalled(Time now)
    {
        if (stalled_) return;
        stalled_ = true;
        stalled_since_ = now;
    }
    bool stalled() const { return stalled_; }
    void moves(Time now)
    {
        if (!stalled_) return;
        stall_ += now - stalled_since_;
        stalled_ = false;
    }
    void leaves(Line& line, LineClass cls, unsigned slot, Time now)
    {
        sent_ += line.lines();
        if (line.traced()) note_wait(line, cls, slot, now);
    }
    void sent(unsigned slot, unsigned input, Time now, Time wire_free)
    {
        if (watch_ != nullptr) watch_->sent(slot, input, now, ready_[slot], wire_free);
    }

    std::uint64_t lines() const { return sent_; }
    Time stall() const { return stall_; }
    void reset()
    {
        sent_ = 0;
        stall_ = 0;
    }

private:
    void begin_wait(Line& line, unsigned slot, Time now, Time ready) const;
    void note_wait(Line& line, LineClass cls, unsigned slot, Time now) const;

    std::uint64_t sent_ = 0;
    Time stalled_since_ = 0;
    bool stalled_ = false;
    Time stall_ = 0;
    PortWatch* watch_ = nullptr;
    std::array<Time, max_vcs> ready_{};  // watched: when the next credit of a channel could be used, by slot
};

}  // namespace weft
