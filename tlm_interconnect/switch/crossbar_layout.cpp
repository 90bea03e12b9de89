// The queues of a scheduled crossbar and all that it looks at in every clock, laid out when its ports and channels are known.
#include <algorithm>

#include "tlm_interconnect/switch/crossbar_switch.h"

namespace weft {

void CrossbarSwitch::end_of_elaboration()
{
    // Queues exist for the channels that some link has.
    slots_ = 0;
    for (std::uint8_t& slot : slot_of_)
        if (slot != 0) slot = static_cast<std::uint8_t>(slots_++);
    const auto count = static_cast<unsigned>(ports_.size());
    if (fifo_) slots_ = 1;
    const std::size_t per_input = spec_.queues == QueueKind::voq ? std::size_t{slots_} * count : slots_;
    queue_count_ = static_cast<std::uint32_t>(per_input * count);
    words_ = (queue_count_ + 63) / 64;
    const std::size_t inputs = std::size_t{count} * speedup_;
    for (auto* bits : {&without_channel_, &ready_, &asking_}) arrays_.add(*bits, words_);
    arrays_.add(input_free_, inputs);
    arrays_.add(queues_, queue_count_);
    arrays_.add(vc_turn_, inputs);
    arrays_.add(port_of_, inputs);
    arrays_.add(first_asking_, count);
    arrays_.add(candidate_, inputs * count);
    arrays_.add(only_route_, routes().endpoints(), many_routes);
    arrays_.build();
    for (std::uint32_t q = 0; q < queue_count_; ++q) {
        queues_[q].first_input = static_cast<std::uint8_t>(q / per_input * speedup_);
        // Those of an input that can want the same output differ in their channel.
        const unsigned slot = (spec_.queues == QueueKind::voq ? q / count : q) % slots_;
        queues_[q].turn = static_cast<std::uint8_t>(slot);
        queues_[q].next_turn = static_cast<std::uint8_t>((slot + 1) % slots_);
    }
    for (unsigned input = 0; input < inputs; ++input) port_of_[input] = static_cast<std::uint8_t>(input / speedup_);
    for (std::uint32_t endpoint = 0; !routes().phased() && endpoint < routes().endpoints(); ++endpoint) {
        const RouteTable::Choice choice = routes().ports_to(endpoint);
        if (choice.count == 1) only_route_[endpoint] = choice.entries[0];
    }
    channel_requests_.resize(count);
    if (separate_) channel_matching_ = std::make_unique<ChannelMatching>(spec_, count, queue_count_);
}

}  // namespace weft
