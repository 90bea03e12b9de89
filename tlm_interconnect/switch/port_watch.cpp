#include "tlm_interconnect/switch/port_watch.h"

namespace weft {

void PortWatch::start(std::vector<std::uint8_t> vcs, unsigned inputs)
{
    vcs_ = std::move(vcs);
    inputs_ = inputs;
    states_.assign(vcs_.size(), State());
    heads_.assign(vcs_.size() * inputs, Head());
}

// Unsigned sums of differences: what is taken off before it is added wraps and comes right.
PortWatch::Channel PortWatch::at(unsigned slot, Time now) const
{
    const State& state = states_[slot];
    Channel out = state.count;
    out.queue_area += state.queue * (now - state.queue_since);
    out.credit_area += (state.credits - state.back.size()) * now;
    for (const Time due : state.back)
        if (due > now) out.credit_area -= due - now;
    return out;
}

}  // namespace weft
