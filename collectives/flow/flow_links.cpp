#include "collectives/flow/flow_links.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

// Lines that pass ranks on their way hold each other up where buffers are full: links are idle for want of credits.
constexpr double slowed_by_ranks = 2;
constexpr std::uint32_t no_sender = ~std::uint32_t{0};

std::uint64_t beyond(std::uint64_t latency, std::uint64_t part) { return latency - std::min(latency, part); }

}  // namespace

FlowFlight FlowLinks::put(std::uint32_t path, std::uint32_t sender, double bytes, std::uint64_t now) const
{
    const FlowPath& route = book_.path(path);
    return {path, sender, bytes, bytes, 1, 0, now + book_.stage(route, 0).before_ps,
        beyond(route.put_ps, route.head_ps), 0};
}

FlowFlight FlowLinks::answer(std::uint32_t path, std::uint32_t sender, std::uint32_t request, double bytes,
    std::uint64_t now) const
{
    const FlowPath& route = book_.path(path);
    return {path, sender, bytes, bytes, 1, 0, now,
        beyond(book_.path(request).answer_ps, route.head_ps - book_.stage(route, 0).before_ps), 0};
}

std::uint64_t FlowLinks::occupancy_ps(double bytes, double ps_per_byte) const
{
    const double ps = bytes * ps_per_byte;
    if (rules_.quantum_ps == 0) return static_cast<std::uint64_t>(std::llround(ps));
    return static_cast<std::uint64_t>(ps / static_cast<double>(rules_.quantum_ps)) * rules_.quantum_ps;
}

bool FlowLinks::pass(FlowFlight& flight)
{
    const FlowPath route = book_.path(flight.path);
    const FlowStage stage = book_.stage(route, flight.stage);
    const std::uint64_t now = flight.head_ps;
    const std::uint64_t left = flight.rest_ps + stage.left_ps;
    std::uint64_t head = now;
    flight.tail_ps = std::max(flight.tail_ps, now + left);
    const bool signal = flight.bytes <= 0;
    for (std::uint32_t i = 0; i < stage.count && (!signal || (rules_.packets && flight.messages > 0)); ++i) {
        const GroupShare share = book_.share(stage.first + i);
        if (signal) {
            pass_signal(share.group, share.share, flight, now, left, head);
        } else {
            pass_group(share.group, share.share, flight, route.neighbours, now, left, head);
        }
    }
    if (++flight.stage >= route.stages) {
        flight.head_ps = head;
        return false;
    }
    flight.head_ps = head + book_.stage(route, flight.stage).before_ps;
    return true;
}

// The extra occupancy of a link by one message: its rate already includes the packet headers of a long stream.
double FlowLinks::headers_ps(const LinkGroup& group, const FlowFlight& flight, double share) const
{
    const CostLink& link = book_.figures(group);
    if (link.packet_payload <= 0) return 0;
    const double packets = flight.message / link.packet_payload;
    return flight.messages * share * ((std::ceil(packets) - packets) * link.packet_ps + link.message_ps);
}

void FlowLinks::pass_group(std::uint32_t number, double share, FlowFlight& flight, bool neighbours, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    if (book_.group(number).split) {
        for (std::size_t i = 0; i < book_.group(number).parts.size(); ++i)
            pass_group(book_.group(number).parts[i], share, flight, neighbours, now, left, head);
        return;
    }
    LinkGroup& group = book_.group(number);
    const double bytes = flight.bytes * share;
    const std::uint64_t begin = std::max(now, group.free_ps);
    if (begin == now || group.sender == no_sender) {
        group.sender = flight.sender;
        group.mixed = false;
    }
    group.mixed = group.mixed || group.sender != flight.sender;
    const bool crowded = !neighbours && group.mixed && group.buffer > 0 &&
        static_cast<double>(begin - now) > group.buffer * group.ps_per_byte;
    const double rate = group.ps_per_byte * (crowded ? slowed_by_ranks : 1);
    double back = bytes * group.back_ps_per_byte;
    double headers = 0;
    if (rules_.packets) {
        headers = headers_ps(group, flight, share);
        back += flight.messages * share * book_.figures(group).answer_ps;
    }
    group.free_ps = begin + (headers > 0 ? occupancy_ps(bytes * rate + headers, 1) : occupancy_ps(bytes, rate));
    group.busy_ps += bytes * rate + headers;
    group.payload += bytes;
    const std::uint64_t end = group.free_ps;
    head = std::max(head, rules_.store_and_forward ? end : begin);
    flight.tail_ps = std::max(flight.tail_ps, end + left);
    if (back > 0) answer_back(number, back, now);
}

// A signal takes its turn among senders: it waits for signals before it, not for all the data that others have to send.
void FlowLinks::pass_signal(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    if (book_.group(number).split) {
        for (std::size_t i = 0; i < book_.group(number).parts.size(); ++i)
            pass_signal(book_.group(number).parts[i], share, flight, now, left, head);
        return;
    }
    LinkGroup& group = book_.group(number);
    const CostLink& link = book_.figures(group);
    const double wire = flight.messages * share * link.signal_ps;
    const double back = flight.messages * share * link.signal_back_ps;
    const std::uint64_t turn = std::max(now, group.signals_free_ps);
    group.signals_free_ps = turn + occupancy_ps(wire, 1);
    group.free_ps = std::max(now, group.free_ps) + occupancy_ps(wire, 1);
    group.busy_ps += wire;
    head = std::max(head, turn);
    flight.tail_ps = std::max(flight.tail_ps, turn + left);
    if (back > 0) answer_back(number, back, now);
}

void FlowLinks::answer_back(std::uint32_t number, double ps, std::uint64_t now)
{
    for (const std::uint32_t other : book_.reverse_of(number)) occupy_back(other, ps, now);
}

void FlowLinks::occupy_back(std::uint32_t number, double ps, std::uint64_t now)
{
    LinkGroup& group = book_.group(number);
    if (group.split) {
        for (const std::uint32_t part : group.parts) occupy_back(part, ps, now);
        return;
    }
    group.free_ps = std::max(now, group.free_ps) + occupancy_ps(ps, 1);
    group.busy_ps += ps;
}

}  // namespace weft
