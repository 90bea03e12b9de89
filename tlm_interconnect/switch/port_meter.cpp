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

void PortMeter::note_wait(Line& line, LineClass cls, unsigned slot, Time now) const
{
    LatencyBreakdown::Leg& leg = cls == LineClass::request ? line.breakdown().out : line.breakdown().back;
    const Time wait = now - line.breakdown().since;
    const Time ready = watch_ != nullptr ? std::min(ready_[slot], now) : 0;
    const Time credits = ready > line.breakdown().since ? ready - line.breakdown().since : 0;
    leg.credits += credits;
    leg.queued += wait - credits;
}

}  // namespace weft
