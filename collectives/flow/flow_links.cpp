#include "collectives/flow/flow_links.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

// Lines that pass ranks on their way hold each other up where buffers are full: links are idle for want of credits.
constexpr double slowed_by_ranks = 2;
// Mean time between the return of a credit and its use, in transmission times of the longest packet. Measured by probes of other
// systems and sizes: docs/models/flow.md.
constexpr double packets_waited_for = 0.95;
constexpr double bytes_acknowledged = 64;  // by one acknowledge, which takes one credit
constexpr std::uint32_t no_sender = ~std::uint32_t{0};

// Whether packets on the other direction can hold up its acknowledges so long that their credits run out.
bool waits_for_acknowledges(const CostLink& link)
{
    return link.answer_credits > 0 &&
        link.answer_round_ps + link.answer_dwell_ps + packets_waited_for * link.packet_time_ps >
        link.answer_credits * bytes_acknowledged * link.ps_per_byte;
}

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

FlowFlight FlowLinks::acknowledge(std::uint32_t path, std::uint32_t sender, std::uint32_t request, double bytes,
    std::uint64_t now) const
{
    FlowFlight out = answer(path, sender, request, bytes, now);
    out.acknowledges = true;
    return out;
}

FlowFlight FlowLinks::of_group(std::uint32_t path, std::uint32_t sender, double bytes, std::uint64_t now,
    std::uint64_t rest) const
{
    FlowFlight out{path, sender, bytes, bytes, 0, 0, now + book_.stage(book_.path(path), 0).before_ps, rest, 0};
    out.of_group = out.loaded = true;
    return out;
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
        if (flight.acknowledges) {
            pass_acknowledge(share.group, share.share, flight, now, left, head);
        } else if (signal) {
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
    const double bytes = flight.bytes * share;
    const std::uint64_t begin = std::max(now, book_.group(number).free_ps);
    // It may make groups, so it comes before the reference.
    const double least_rate = rules_.waits ? rate_of_acknowledges(number, flight, now) : 0;
    LinkGroup& group = book_.group(number);
    if (begin == now || group.sender == no_sender) {
        group.sender = flight.sender;
        group.mixed = false;
        group.path = flight.path;
        group.several_paths = false;
    }
    group.several_paths = group.several_paths || group.path != flight.path;
    group.mixed = group.mixed || group.sender != flight.sender;
    const bool crowded = !neighbours && !(rules_.waits && waits_for_acknowledges(book_.figures(group))) &&
        group.mixed && group.buffer > 0 && static_cast<double>(begin - now) > group.buffer * group.ps_per_byte;
    const double per_byte = flight.of_group ? book_.figures(group).group_ps_per_byte : group.ps_per_byte;
    const double rate = std::max(per_byte * (crowded ? slowed_by_ranks : 1), group.several_paths ? least_rate : 0);
    const CostLink& link = book_.figures(group);
    double back = bytes * (flight.of_group ? link.group_back_ps_per_byte : group.back_ps_per_byte);
    double headers = 0;
    if (rules_.packets) {
        headers = headers_ps(group, flight, share);
        back += flight.messages * share * link.answer_ps;
    }
    group.free_ps = begin + (headers > 0 ? occupancy_ps(bytes * rate + headers, 1) : occupancy_ps(bytes, rate));
    group.busy_ps += bytes * per_byte + headers;
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
    std::uint64_t turn = std::max(now, group.signals_free_ps);
    turn += packet_left(group, link.packet_time_ps, turn);
    group.signals_free_ps = turn + occupancy_ps(wire, 1);
    group.free_ps = std::max(now, group.free_ps) + occupancy_ps(wire, 1);
    group.busy_ps += wire;
    head = std::max(head, turn);
    flight.tail_ps = std::max(flight.tail_ps, turn + left);
    if (back > 0) answer_back(number, back, now);
}

// Acknowledges take turns with packets of data: each run of them waits for the packet that is on the wire.
void FlowLinks::pass_acknowledge(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    if (book_.group(number).split) {
        for (std::size_t i = 0; i < book_.group(number).parts.size(); ++i)
            pass_acknowledge(book_.group(number).parts[i], share, flight, now, left, head);
        return;
    }
    LinkGroup& group = book_.group(number);
    std::uint64_t turn = std::max(now, group.answers_free_ps);
    turn += packet_left(group, book_.figures(group).packet_time_ps, turn);
    const std::uint64_t end = turn + occupancy_ps(flight.bytes * share, group.back_ps_per_byte);
    head = std::max(head, turn);
    flight.tail_ps = std::max(flight.tail_ps, end + left);
    group.answers_free_ps = end;
}

// The rate at which acknowledges come back while packets of data take the other direction of the link. Each holds a credit from
// one node to the next; a credit that is back is used when the packet on the wire has passed.
double FlowLinks::rate_of_acknowledges(std::uint32_t number, const FlowFlight& flight, std::uint64_t now)
{
    const CostLink& link = book_.figures(book_.group(number));
    if (flight.loaded || !waits_for_acknowledges(link)) return 0;
    double packet = 0;
    for (const std::uint32_t other : book_.reverse_of(number))
        packet = std::max(packet, packet_in_progress(other, now));
    const double round = link.answer_round_ps + (flight.stage > 0 ? link.answer_dwell_ps : 0);
    return packet > 0 ? (round + packets_waited_for * packet) / (link.answer_credits * bytes_acknowledged) : 0;
}

// The time of a packet on the links of a group, the mean of them; 0 on those that are free.
double FlowLinks::packet_in_progress(std::uint32_t number, std::uint64_t at) const
{
    const LinkGroup& group = book_.group(number);
    if (!group.split) return group.free_ps > at ? book_.figures(group).packet_time_ps : 0;
    double out = 0;
    double members = 0;
    for (const std::uint32_t part : group.parts) {
        const double size = book_.size(part);
        out += size * packet_in_progress(part, at);
        members += size;
    }
    return out / members;
}

// What the packet on the wire at `at` still takes, if packets follow each other up to the time at which the link is free.
std::uint64_t FlowLinks::packet_left(const LinkGroup& group, double packet_ps, std::uint64_t at) const
{
    if (!rules_.waits || group.free_ps <= at || packet_ps <= 0) return 0;
    return static_cast<std::uint64_t>(std::fmod(static_cast<double>(group.free_ps - at), packet_ps));
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
