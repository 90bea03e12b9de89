#include "tlm_interconnect/switch/port_arbiter.h"

namespace weft {

Arbitration arbitration(const SwitchSpec& spec)
{
    return {spec.arbiter, static_cast<std::uint32_t>(spec.control_weight),
        static_cast<std::uint32_t>(spec.data_weight)};
}

Arbitration arbitration_of(const ParameterSet& parameters)
{
    return {static_cast<ArbiterKind>(parameters.value("switch.arbiter")),
        static_cast<std::uint32_t>(parameters.value("switch.control_weight")),
        static_cast<std::uint32_t>(parameters.value("switch.data_weight"))};
}

unsigned PortArbiter::choose(std::uint32_t candidates, const ChannelQueues& queues, int& input)
{
    return rule_.kind == ArbiterKind::weighted ? by_weight(candidates, queues) : oldest(candidates, queues, input);
}

unsigned PortArbiter::oldest(std::uint32_t candidates, const ChannelQueues& queues, int& oldest_input) const
{
    unsigned best = 0;
    Time best_time = 0;
    const unsigned count = static_cast<unsigned>(queues.channels().size());
    for (unsigned step = 1; step <= count; ++step) {
        const unsigned slot = (last_slot_ + step) % count;
        if ((candidates >> slot & 1U) == 0) continue;
        const ChannelQueues::Channel& channel = queues[slot];
        for (unsigned turn = 1; turn <= queues.inputs(); ++turn) {
            const unsigned input = (channel.last_input + turn) % queues.inputs();
            if (channel.inputs[input].head == nullptr) continue;
            const Line& line = Line::of(*channel.inputs[input].head);
            const Time since = rule_.kind == ArbiterKind::age ? line.issued : line.scratch.queued.since;
            if (oldest_input >= 0 && since >= best_time) continue;
            best = slot;
            best_time = since;
            oldest_input = static_cast<int>(input);
        }
    }
    return best;
}

unsigned PortArbiter::by_weight(std::uint32_t candidates, const ChannelQueues& queues)
{
    std::uint32_t control = 0;
    for (std::uint32_t rest = candidates; rest != 0; rest &= rest - 1) {
        const unsigned slot = static_cast<unsigned>(__builtin_ctz(rest));
        if (queues[slot].control) control |= 1U << slot;
    }
    const std::uint32_t data = candidates & ~control;
    if (control == 0 || data == 0) return static_cast<unsigned>(next_in_turn(candidates));
    if (control_left_ + data_left_ == 0) {
        control_left_ = rule_.control_weight;
        data_left_ = rule_.data_weight;
    }
    if (control_left_ > 0) {
        --control_left_;
        return static_cast<unsigned>(next_in_turn(control));
    }
    --data_left_;
    return static_cast<unsigned>(next_in_turn(data));
}

}  // namespace weft
