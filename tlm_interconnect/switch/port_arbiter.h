// The arbiter of an output port: it selects the channel, and in it the input.
//
//   round_robin  the next channel in turn, and in it the next input in turn
//   age          the line with the earliest `issued`; ties in turn
//   arrival      the line that was enqueued first: one queue for all; ties in turn
//   weighted     control_weight lines of control channels (request, atomic), then data_weight lines of data
//                channels (write, response), each kind in turn; a kind that has nothing to send gives way
#pragma once

#include <cstdint>

#include "base/parameter_block.h"
#include "tlm_interconnect/switch/channel_queues.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

struct Arbitration {
    ArbiterKind kind = ArbiterKind::round_robin;
    std::uint32_t control_weight = 1;
    std::uint32_t data_weight = 1;
};
Arbitration arbitration(const SwitchSpec& spec);
// The same of switch.arbiter, switch.control_weight and switch.data_weight among the parameters of a node.
Arbitration arbitration_of(const ParameterSet& parameters);

class PortArbiter {
public:
    explicit PortArbiter(const Arbitration& rule) : rule_(rule) {}

    void start(unsigned channels) { last_slot_ = channels - 1; }

    bool in_turn() const { return rule_.kind == ArbiterKind::round_robin; }
    bool by_arrival() const { return rule_.kind == ArbiterKind::arrival; }
    // The channel that the last line left by.
    unsigned last_slot() const { return last_slot_; }
    void sent(unsigned slot) { last_slot_ = slot; }

    // Among the channels of `candidates`, a bit per slot: the next in turn; -1: there is none.
    int next_in_turn(std::uint32_t candidates) const
    {
        if (candidates == 0) return -1;
        const std::uint32_t later = candidates & ~((2U << last_slot_) - 1);
        return __builtin_ctz(later != 0 ? later : candidates);
    }
    // The same by the other rules; there is one. `input`: where its line waits, -1: the next in turn.
    unsigned choose(std::uint32_t candidates, const ChannelQueues& queues, int& input);

private:
    unsigned oldest(std::uint32_t candidates, const ChannelQueues& queues, int& input) const;
    unsigned by_weight(std::uint32_t candidates, const ChannelQueues& queues);

    Arbitration rule_;
    unsigned last_slot_ = 0;
    std::uint32_t control_left_ = 0;
    std::uint32_t data_left_ = 0;
};

}  // namespace weft
