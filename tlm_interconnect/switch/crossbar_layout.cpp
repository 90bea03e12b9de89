// The queues of a scheduled crossbar and all that it looks at in every clock, laid out when its ports and channels are known.
#include <algorithm>

#include "tlm_interconnect/switch/crossbar_switch.h"

namespace weft {

void CrossbarSwitch::end_of_elaboration()
{
    // Queues exist for the channels that some link has.
    const auto count = static_cast<unsigned>(ports_.size());
    const bool voq = spec_.queues == QueueKind::voq;
    slots_ = 0;
    for (std::uint8_t vc = 0; vc < max_vcs; ++vc) {
        if (fifo_) continue;
        places_[vc].queue = static_cast<std::uint16_t>((exists_[vc] ? slots_++ : 0) * (voq ? count : 1));
        places_[vc].input = static_cast<std::uint8_t>((vc_set_of(vc) + vc % vc_classes) % speedup_);
    }
    if (fifo_) slots_ = 1;
    const std::size_t per_input = voq ? std::size_t{slots_} * count : slots_;
    queue_count_ = static_cast<std::uint32_t>(per_input * count);
    words_ = (queue_count_ + 63) / 64;
    input_queues_ = static_cast<std::uint32_t>(per_input);
    output_queues_ = voq ? 1 : 0;
    const std::size_t inputs = std::size_t{count} * speedup_;
    for (auto* bits : {&without_channel_, &ready_}) arrays_.add(*bits, words_);
    arrays_.add(request_of_, inputs);
    arrays_.add(requests_, queue_count_);
    arrays_.add(vc_turn_, inputs);
    arrays_.add(port_of_, inputs);
    arrays_.add(input_free_, inputs);
    arrays_.add(ends_, count);
    arrays_.add(queues_, queue_count_);
    arrays_.add(ways_, std::size_t{count} * max_vc_sets);
    arrays_.add(way_of_, routes().endpoints(), no_way);
    arrays_.add(candidate_, inputs * count);
    arrays_.build();
    for (std::uint32_t q = 0; q < queue_count_; ++q) {
        // Those of an input that can want the same output differ in their channel.
        const unsigned slot = (voq ? q / count : q) % slots_;
        queues_[q].turn = static_cast<std::uint8_t>(slot);
        queues_[q].next_turn = static_cast<std::uint8_t>((slot + 1) % slots_);
    }
    for (unsigned input = 0; input < inputs; ++input) port_of_[input] = static_cast<std::uint8_t>(input / speedup_);
    find_ways();
    for (unsigned p = 0; p < count; ++p) ends_[p] = {&initiator(p).bound(), &target(p).bound()};
    channel_requests_.resize(count);
    channel_matching_.build(count, queue_count_);
}

// Endpoints to which one way alone leads share it with others: few are in use, so that they stay in the host's caches.
void CrossbarSwitch::find_ways()
{
    std::vector<std::uint16_t> entries;
    for (std::uint32_t endpoint = 0; !routes().phased() && endpoint < routes().endpoints(); ++endpoint) {
        const RouteTable::Choice choice = routes().ports_to(endpoint);
        if (choice.count != 1) continue;
        const auto found = std::find(entries.begin(), entries.end(), choice.entries[0]);
        way_of_[endpoint] = static_cast<std::uint16_t>(found - entries.begin());
        if (found != entries.end()) continue;
        ways_[entries.size()] = way_to({choice.port(0), choice.vc_set(0)});
        entries.push_back(choice.entries[0]);
    }
    ways_known_ = static_cast<std::uint32_t>(routes().endpoints());
}

}  // namespace weft
