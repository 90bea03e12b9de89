// FlowLinks: what waits for its turn at links, and what passes beside it.
#include <algorithm>
#include <cmath>

#include "collectives/flow/flow_links.h"

namespace weft {

// How long the packet that is on the wire at `at` still takes. Packets are assumed to follow each other until the link is free.
std::uint64_t FlowLinks::packet_left(std::uint32_t number, double packet_ps, std::uint64_t at) const
{
    if (!rules_.waits || packet_ps <= 0) return 0;
    const LinkGroup& group = book_.group(number);
    double until = static_cast<double>(group.free_ps);
    if (group.queued) until += waiting_[number].data_ps + static_cast<double>(waiting_[number].others_ps);
    if (until <= static_cast<double>(at)) return 0;
    return static_cast<std::uint64_t>(std::fmod(until - static_cast<double>(at), packet_ps));
}

void FlowLinks::waits(std::uint32_t number, double bytes)
{
    if (waiting_.size() <= number) waiting_.resize(book_.groups());
    waiting_[number].data_ps += bytes * book_.figures(book_.group(number)).ps_per_byte;
}

// Signals and acknowledges have virtual channels of their own, which take turns with data that wait.
void FlowLinks::book(std::uint32_t number, double ps, std::uint64_t now)
{
    LinkGroup& group = book_.group(number);
    group.busy_ps += ps;
    if (group.queued) {
        waiting_[number].others_ps += occupancy_ps(ps, 1);
        waiting_[number].others_busy_ps += ps;
    } else {
        take_wire(number, occupancy_ps(ps, 1), ps, now);
    }
}

void FlowLinks::take_wire(std::uint32_t number, std::uint64_t occupancy, double busy_ps, std::uint64_t now)
{
    LinkGroup& group = book_.group(number);
    if (group.split) {
        for (const std::uint32_t part : book_.parts(number)) take_wire(part, occupancy, busy_ps, now);
        return;
    }
    const std::uint64_t begin = std::max(now, group.free_ps);
    group.free_ps = begin + occupancy;
    count(number, begin, group.free_ps, busy_ps, 0);
}

void FlowLinks::pass_others(std::uint32_t number, std::uint64_t now)
{
    const LinkGroup& group = book_.group(number);
    Waiting& wait = waiting_[number];
    const std::uint64_t most = group.queued ? std::max(now, group.free_ps) - now : wait.others_ps;
    const std::uint64_t part = std::min(wait.others_ps, most);
    if (part == 0) return;
    const double busy = wait.others_busy_ps * static_cast<double>(part) / static_cast<double>(wait.others_ps);
    wait.others_ps -= part;
    wait.others_busy_ps -= busy;
    take_wire(number, part, busy, now);
}

}  // namespace weft
