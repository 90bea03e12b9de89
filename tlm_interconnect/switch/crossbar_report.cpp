// What a scheduled crossbar tells about itself.
#include <fmt/format.h>

#include "tlm_interconnect/switch/crossbar_switch.h"
#include "tlm_interconnect/switch/switch_statistics.h"

namespace weft {

bool CrossbarSwitch::attach(unsigned port, PortWatch& watch)
{
    watches_.resize(ports_.size(), nullptr);
    watches_[port] = &watch;
    watched_ = true;
    std::vector<std::uint8_t> vcs{vc_of(VcClass::request, 0), vc_of(VcClass::response, 0)};
    if (outputs_[port].split) vcs.insert(vcs.begin() + 1, {vc_of(VcClass::write, 0), vc_of(VcClass::atomic, 0)});
    watch.start(std::move(vcs), static_cast<unsigned>(ports_.size()));
    return true;
}

std::vector<SwitchModel::Wait> CrossbarSwitch::waits() const
{
    std::vector<Wait> out;
    const Time now = event_queue().now();
    const std::size_t per_input = queue_count_ / ports_.size();
    for (std::uint32_t number = 0; number < queue_count_; ++number) {
        const Queue& queue = queues_[number];
        if (queue.head == nullptr || queue.channels == 0) continue;
        const CreditAccount& credits = ports_[queue.output].credits;
        bool able = false;
        for (unsigned rest = queue.channels; rest != 0; rest &= rest - 1)
            able = able || credits.available(static_cast<std::uint8_t>(__builtin_ctz(rest)), now);
        if (able) continue;
        std::uint32_t count = 0;
        for (const ScheduledItem* item = queue.head; item != nullptr; item = item->next) ++count;
        out.push_back({static_cast<unsigned>(number / per_input), Line::of(*queue.head).vc, queue.output,
            static_cast<std::uint8_t>(__builtin_ctz(queue.channels)), count});
    }
    return out;
}

std::vector<std::string> CrossbarSwitch::blocked() const
{
    std::vector<std::string> out;
    const std::size_t per_input = std::max<std::size_t>(1, queue_count_ / ports_.size());
    for (std::uint32_t number = 0; number < queue_count_; ++number) {
        const Queue& queue = queues_[number];
        if (queue.head == nullptr) continue;
        unsigned count = 0;
        for (const ScheduledItem* item = queue.head; item != nullptr; item = item->next) ++count;
        const Line& line = Line::of(*queue.head);
        const bool ready = (ready_[number >> 6] >> (number & 63) & 1U) != 0;
        out.push_back(fmt::format("{} input {}: {} {} packets wait for {} of output {}", path(), number / per_input,
            count, vc_name(line.vc, ports_[queue.output].vc_sets),
            ready && separate_ ? "a credit of " + vc_name(queue.channel, ports_[queue.output].vc_sets) : "a channel",
            queue.output));
    }
    return out;
}

std::vector<Statistic> CrossbarSwitch::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(crossbar_switch_statistics(), out);
    write_lines(write);
    write("matchings", matchings_);
    write("refused", refused_);
    write_peak_queue(write);
    return out;
}

void CrossbarSwitch::reset_statistics()
{
    sent_ = matchings_ = refused_ = 0;
    for (unsigned p = 0; p < ports_.size(); ++p) outputs_[p].load.reset();
}

}  // namespace weft
