#include "tlm_interconnect/switch/port_meter.h"

#include <utility>

namespace weft {

void PortMeter::attach(PortWatch& watch, const ChannelQueues& queues)
{
    watch_ = &watch;
    std::vector<std::uint8_t> vcs;
    for (const ChannelQueues::Channel& channel : queues.channels()) vcs.push_back(channel.vc);
    watch.start(std::move(vcs), queues.inputs());
}

void PortMeter::begin_wait(Line& line, unsigned slot, Time now, Time ready) const
{
    line.breakdown().since = now;
    if (watch_ == nullptr) return;
    watch_->stalled_until(slot, now, ready);
    line.breakdown().stalled = watch_->stall(slot);
}

// Of the whole wait only the time in which the channel had no credit: with one it waited for others to be sent, whenever the
// credit that it takes itself came.
void PortMeter::note_wait(Line& line, LineClass cls, unsigned slot, Time now) const
{
    LatencyBreakdown::Leg& leg = cls == LineClass::request ? line.breakdown().out : line.breakdown().back;
    const Time wait = now - line.breakdown().since;
    const Time credits = watch_ != nullptr ? watch_->stall(slot) - line.breakdown().stalled : 0;
    leg.credits += credits;
    leg.queued += wait - credits;
}

}  // namespace weft
