#include "collectives/flow/links/flow_links.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

constexpr double bytes_of_line = 64;

// As std::llround(), of numbers that are not negative and below 2^52, without a call.
std::uint64_t rounded(double ps)
{
    const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(ps));
    return whole + (ps - static_cast<double>(static_cast<std::int64_t>(whole)) >= 0.5 ? 1 : 0);
}

std::uint64_t beyond(std::uint64_t latency, std::uint64_t part) { return latency - std::min(latency, part); }

}  // namespace

double FlowLinks::credit_wait_ps(const CostLink& link, double packet_ps) const
{
    return (link.packet_payload > 0 ? rules_.credit_wait_of_cards : rules_.credit_wait) * packet_ps;
}

bool FlowLinks::waits_for_acknowledges(const CostLink& link) const
{
    return rules_.waits && link.answer_credits > 0 &&
        link.answer_round_ps + link.answer_dwell_ps + credit_wait_ps(link, link.packet_time_ps) >
        acknowledged_by_credits(link) * link.ps_per_byte;
}

FlowFlight FlowLinks::begin(const FlowPath& route, std::uint32_t path, std::uint32_t sender, double bytes) const
{
    FlowFlight out;
    out.path = path;
    out.sender = sender;
    out.bytes = out.message = bytes;
    out.messages = 1;
    out.stage = route.first;
    out.stages = static_cast<std::uint16_t>(route.stages);
    out.neighbours = route.neighbours;
    return out;
}

FlowFlight FlowLinks::put(std::uint32_t path, std::uint32_t sender, double bytes, std::uint64_t now) const
{
    const FlowPath& route = book_.path(path);
    FlowFlight out = begin(route, path, sender, bytes);
    out.head_ps = now + book_.stage(route.first).before_ps;
    out.rest_ps = beyond(route.put_ps, route.head_ps);
    return out;
}

FlowFlight FlowLinks::answer(std::uint32_t path, std::uint32_t sender, std::uint32_t request, double bytes,
    std::uint64_t now) const
{
    const FlowPath& route = book_.path(path);
    FlowFlight out = begin(route, path, sender, bytes);
    out.head_ps = now;
    out.rest_ps = beyond(book_.path(request).answer_ps, route.head_ps - book_.stage(route.first).before_ps);
    return out;
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
    const FlowPath& route = book_.path(path);
    FlowFlight out = begin(route, path, sender, bytes);
    out.messages = 0;
    out.head_ps = now + book_.stage(route.first).before_ps;
    out.rest_ps = rest;
    out.of_group = out.loaded = true;
    return out;
}

std::uint64_t FlowLinks::line_ps(const FlowFlight& flight) const
{
    const FlowPath& path = book_.path(flight.path);
    std::uint64_t most = 0;
    for (std::uint32_t s = 0; s < path.stages; ++s) {
        const FlowStage& stage = book_.stage(path, s);
        for (std::uint32_t i = 0; i < stage.count; ++i) {
            const GroupShare of =
                stage.count == 1 ? GroupShare{stage.first, stage.share} : book_.share(stage.first + i);
            const CostLink& link = book_.figures(book_.group(of.group));
            const double bytes = std::min(flight.bytes, bytes_of_line) * of.share;
            const double headers = rules_.packets ? message_headers_ps(link, flight, of.share) : 0;
            most = std::max(most,
                rounded(flight.acknowledges ? bytes * link.back_ps_per_byte : bytes * link.ps_per_byte + headers));
        }
    }
    return most;
}

std::uint64_t FlowLinks::occupancy_ps(double bytes, double ps_per_byte) const
{
    const double ps = bytes * ps_per_byte;
    if (rules_.quantum_ps == 0) return rounded(ps);
    return static_cast<std::uint64_t>(ps / static_cast<double>(rules_.quantum_ps)) * rules_.quantum_ps;
}

bool FlowLinks::pass(FlowFlight& flight, std::uint64_t behind_ps, std::uint64_t waited_ps)
{
    behind_ps_ = behind_ps;
    waited_ps_ = waited_ps;
    const FlowStage stage = book_.stage(flight.stage);
    const std::uint64_t now = flight.head_ps;
    const std::uint64_t left = flight.rest_ps + stage.left_ps;
    std::uint64_t head = now;
    flight.tail_ps = std::max(flight.tail_ps, now + left);
    span_ps_ = flight.tail_ps - now - left;
    if (flight.acknowledges) {
        for_groups(stage,
            [&](std::uint32_t group, double share) { pass_acknowledge(group, share, flight, now, left, head); });
    } else if (flight.bytes > 0) {
        for_groups(stage,
            [&](std::uint32_t group, double share) { pass_group(group, share, flight, now, left, head); });
    } else if (rules_.packets && flight.messages > 0) {
        for_groups(stage,
            [&](std::uint32_t group, double share) { pass_signal(group, share, flight, now, left, head); });
    }
    end_starts();
    behind_ps_ = 0;
    waited_ps_ = 0;
    return go_on(flight, head);
}

bool FlowLinks::go_on(FlowFlight& flight, std::uint64_t head)
{
    flight.started = false;
    ++flight.stage;
    if (++flight.passed >= flight.stages) {
        flight.head_ps = head;
        return false;
    }
    flight.head_ps = head + book_.stage(flight.stage).before_ps;
    return true;
}

double FlowLinks::message_headers_ps(const CostLink& link, const FlowFlight& flight, double share) const
{
    if (flight.packets >= 0)
        return line_headers_ps(link, flight.messages * share, flight.packets * share, flight.bytes * share);
    const double pieces = pieces_of(flight);
    return headers_ps(link, flight.messages * pieces * share, flight.message / pieces);
}

double FlowLinks::pieces_of(const FlowFlight& flight) const
{
    const std::uint32_t cards = book_.path(flight.path).cards;
    if (cards == 1 || flight.of_line) return 1;
    return std::clamp(std::ceil(flight.message / rules_.stripe), 1.0, static_cast<double>(cards));
}

void FlowLinks::pass_group(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    const double bytes = flight.bytes * share;
    if (!flight.neighbours) through_ranks_ += bytes / flight.stages;
    // It may make groups, so it comes before the reference.
    const double least_rate = rules_.waits ? rate_of_acknowledges(number, flight, now) : 0;
    if (!flight.buffered && !flight.started) now = start_messages(number, share, flight, now);
    LinkGroup& group = book_.group(number);
    const CostLink& link = book_.figures(group);
    if (link.at_once > 0) return pass_contexts(number, bytes, flight, now, left, head);
    const std::uint64_t begin = std::max(now, group.free_ps);
    if ((begin == now && waited_ps_ == 0) || group.sender == LinkGroup::none) {
        group.sender = flight.sender;
        group.mixed = false;
        group.path = flight.path;
        group.several_paths = false;
    }
    group.several_paths = group.several_paths || group.path != flight.path;
    group.mixed = group.mixed || group.sender != flight.sender;
    const bool crowded = !flight.neighbours && group.mixed && link.buffer > 0 &&
        static_cast<double>(begin - now + waited_ps_) > link.buffer * link.ps_per_byte && !waits_for_acknowledges(link);
    const double per_byte = (flight.of_group ? link.group_ps_per_byte : link.ps_per_byte) +
        (flight.pushed ? link.push_more_ps_per_byte : 0);
    double rate = std::max(per_byte * (crowded ? slowed_by_ranks : 1), group.several_paths ? least_rate : 0);
    // Credits of the last link come back when the L2 begins to serve their lines.
    if (behind_ps_ > 0 && link.buffer > 0)
        rate = std::max(rate, (link.answer_round_ps + static_cast<double>(behind_ps_)) / link.buffer);
    double back = bytes * (flight.of_group ? link.group_back_ps_per_byte : link.back_ps_per_byte);
    double headers = 0;
    if (rules_.packets) {
        headers = message_headers_ps(link, flight, share);
        if (link.answer_ps > 0) back += flight.messages * pieces_of(flight) * share * link.answer_ps;
    }
    if (flight.pushed && rules_.packets)
        headers += acknowledges_ahead(number, flight, bytes, static_cast<double>(begin - now), bytes * rate);
    if (flight.asked)
        headers += packets_of_load_ps(number, flight, share, now);
    else if (link.shared_packet_ps > 0 && !flight.of_group)
        note_shared(number, flight.messages * share * open_end_ps(link, flight.message));
    const std::uint64_t occupancy = std::max(credits_ps(number, flight, bytes, begin),
        headers != 0 ? occupancy_ps(bytes * rate + headers, 1) : occupancy_ps(bytes, rate));
    group.free_ps = begin + occupancy;
    group.busy_ps += bytes * per_byte + headers;
    group.payload += bytes;
    count(number, begin, begin + occupancy, bytes * per_byte + headers, bytes);
    if (flight.of_line) {
        const std::uint64_t turn = turn_of_line(number, now, begin, occupancy, flight.loaded);
        head = std::max(head, turn);
        flight.tail_ps = std::max(flight.tail_ps, turn + occupancy + left);
        if (back > 0) answer_back(number, back, now, flight.loaded ? now : turn + left);
        return;
    }
    const std::uint64_t end = group.free_ps;
    if (rules_.conserves) data_until(number, end);
    head = std::max(head, rules_.store_and_forward ? end : begin);
    flight.tail_ps = std::max(flight.tail_ps, end + left);
    const std::uint64_t answered = flight.loaded ? now : begin + left;
    if (back > 0 && flight.copied && rules_.packets) return answer_copied(number, back, now, answered);
    if (back > 0 && (!flight.buffered || (flight.loaded && !flight.asked))) answer_back(number, back, now, answered);
}

std::uint64_t FlowLinks::start_messages(std::uint32_t group, double share, const FlowFlight& flight, std::uint64_t now)
{
    if (!rules_.starts || flight.loaded || flight.acknowledges || flight.messages <= 0) return now;
    const double interval = book_.figures(book_.group(group)).message_interval_ps;
    if (interval <= 0) return now;
    const double busy = flight.messages * pieces_of(flight) * share * interval;
    auto start = static_cast<double>(now);
    book_.for_links(group, [&](std::uint32_t number, const CostLink& link) {
        // A card whose node is not known has one link.
        const auto card = link.from >= 0 ? 2 * static_cast<std::size_t>(link.from) : 2 * std::size_t{number} + 1;
        start = std::max(start, starts_.begin(card, static_cast<double>(now), busy));
    });
    return rounded(start);
}

std::uint64_t FlowLinks::begin_on(std::uint32_t group, double share, FlowFlight& flight, std::uint32_t stage,
    std::uint64_t now)
{
    const std::uint64_t left = flight.rest_ps + book_.stage(stage).left_ps;
    std::uint64_t head = now;
    flight.tail_ps = std::max(flight.tail_ps, now + left);
    span_ps_ = flight.tail_ps - now - left;
    if (!flight.acknowledges && !flight.asks) {
        pass_group(group, share, flight, now, left, head);
        return head;
    }
    LinkGroup& link = book_.group(group);
    const CostLink& figures = book_.figures(link);
    const double wire = flight.bytes * share * figures.back_ps_per_byte +
        (flight.asks ? flight.messages * pieces_of(flight) * share * figures.answer_ps +
                    packets_of_load_ps(group, flight, share, now)
                     : 0);
    head = std::max(now, link.free_ps);
    link.free_ps = head + occupancy_ps(wire, 1);
    link.busy_ps += wire;
    count(group, head, link.free_ps, wire, 0);
    flight.tail_ps = std::max(flight.tail_ps, link.free_ps + left);
    return head;
}

// Transfers have booked the link up to `free`. A line need not wait for all of them: senders of lines and of transfers take turns,
// by the number of paths.
std::uint64_t FlowLinks::turn_of_line(std::uint32_t number, std::uint64_t now, std::uint64_t free,
    std::uint64_t occupancy, bool loaded)
{
    std::uint64_t& lines_free = of_group(lines_free_, number);
    std::uint64_t turn = std::min(free, std::max(now, lines_free));
    // Behind the last transfer comes all that lines, signals and acknowledges have booked. What was loaded does not wait so: its requests
    // book the wire when it comes, a round trip later than they pass.
    if (rules_.conserves && !loaded && turn + occupancy > data_end(number)) turn = free;
    lines_free = turn + occupancy * (turn < free ? std::max(1U, book_.paths_of(number)) : 1);
    return turn;
}

bool FlowLinks::lone_pass(const FlowFlight& flight, std::uint64_t now, LonePass& out) const
{
    const FlowStage& stage = book_.stage(flight.stage);
    const CostLink& link = book_.figures(book_.group(stage.first));
    if (flight.head_ps != now || rules_.waits || (rules_.packets && link.answer_ps > 0)) return false;
    if (credit_round_ps(link, flight) > 0) return false;
    out.bytes = flight.bytes * stage.share;
    const double headers = rules_.packets ? message_headers_ps(link, flight, stage.share) : 0;
    out.occupancy_ps = headers > 0 ? occupancy_ps(out.bytes * link.ps_per_byte + headers, 1)
                                   : occupancy_ps(out.bytes, link.ps_per_byte);
    out.busy_ps = out.bytes * link.ps_per_byte + headers;
    out.left_ps = flight.rest_ps + stage.left_ps;
    return true;
}

// A signal takes its turn among senders: it waits for signals before it, not for all the data that others have to send.
void FlowLinks::pass_signal(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    now = start_messages(number, share, flight, now);
    LinkGroup& group = book_.group(number);
    const CostLink& link = book_.figures(group);
    std::uint64_t turn = std::max(now, group.signals_free_ps);
    turn += packet_left(number, link.packet_time_ps, turn);
    const double less = shares_packet(number, flight, link, turn) ? link.shared_packet_ps : 0;
    if (less > 0) note_shared(number, flight.messages * share * less);
    const double wire = flight.messages * share * (link.signal_ps - less);
    const double back = flight.messages * share * std::max(0.0, link.signal_back_ps - less);
    const std::uint64_t occupancy = occupancy_ps(wire, 1);
    turn += others_between(number, occupancy, turn, 0);
    group.signals_free_ps = turn + occupancy;
    book(number, wire, now);
    head = std::max(head, turn);
    flight.tail_ps = std::max(flight.tail_ps, turn + left);
    if (back > 0) answer_back(number, back, now, turn + left);
}

OpenPacket& FlowLinks::open_packet(FlatMap& of, std::uint64_t key)
{
    std::uint32_t at = of.find(key);
    if (at == FlatMap::none) {
        at = static_cast<std::uint32_t>(open_.size());
        open_.emplace_back();
        of.insert(key, at);
    }
    return open_[at];
}

// Where lines to one destination share packets, a part of a load goes into the packet that is open if that has room for it and the part
// before has passed shortly before. Beyond what the rate has of full packets.
double FlowLinks::packets_of_load_ps(std::uint32_t number, const FlowFlight& flight, double share, std::uint64_t now)
{
    const CostLink& link = book_.figures(book_.group(number));
    if (link.shared_packet_ps <= 0 || link.ps_per_byte <= 0) return 0;
    OpenPacket& open = open_packet(load_open_of_,
        std::uint64_t{number} << 32 | std::uint64_t{flight.path} << 1 | (flight.asks ? 1U : 0U));
    // A packet is full of data; requests have none.
    const double passing = flight.asks ? 0 : flight.bytes * share * link.ps_per_byte;
    return (open.join(link, passing, now) ? 0 : link.shared_packet_ps) -
        passing / link.packet_time_ps * link.shared_packet_ps;
}

bool FlowLinks::shares_packet(std::uint32_t number, const FlowFlight& flight, const CostLink& link, std::uint64_t turn)
{
    if (!rules_.waits || link.shared_packet_ps <= 0) return false;
    return signal_joins(open_packet(open_of_, std::uint64_t{number} << 32 | flight.path), link, turn);
}

// Acknowledges take turns with packets of data: each run of them waits for the packet that is on the wire.
void FlowLinks::pass_acknowledge(std::uint32_t number, double share, FlowFlight& flight, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    LinkGroup& group = book_.group(number);
    const std::uint64_t occupancy = occupancy_ps(flight.bytes * share, book_.figures(group).back_ps_per_byte);
    std::uint64_t turn = std::max(now, group.answers_free_ps);
    if (flight.of_line)
        turn = std::max(turn, turn_of_acknowledge(number, now, occupancy));
    else
        turn += packet_left(number, book_.figures(group).packet_time_ps, turn);
    turn += others_between(number, occupancy, turn, occupancy);  // its own wire is booked
    const std::uint64_t end = turn + occupancy;
    head = std::max(head, turn);
    flight.tail_ps = std::max(flight.tail_ps, end + left);
    group.answers_free_ps = end;
}

// The rate at which acknowledges come back while packets of data take the other direction of the link. Each holds a credit from
// one node to the next; a credit that is back is used when the packet on the wire has passed.
double FlowLinks::rate_of_acknowledges(std::uint32_t number, const FlowFlight& flight, std::uint64_t now)
{
    if (flight.loaded || !waits_for_acknowledges(book_.figures(book_.group(number)))) return 0;
    double packet = 0;
    book_.for_reverse_of(number,
        [&](std::uint32_t other) { packet = std::max(packet, packet_in_progress(other, now)); });
    const CostLink& link = book_.figures(book_.group(number));
    const double round = link.answer_round_ps + (flight.passed > 0 ? link.answer_dwell_ps : 0);
    return packet > 0 ? (round + credit_wait_ps(link, packet)) / acknowledged_by_credits(link) : 0;
}

// The time of a packet on the links of a group, the mean of them; 0 on those that are free.
double FlowLinks::packet_in_progress(std::uint32_t number, std::uint64_t at) const
{
    const LinkGroup& group = book_.group(number);
    if (!group.split) return group.free_ps > at || group.queued ? book_.figures(group).packet_time_ps : 0;
    double out = 0;
    double members = 0;
    for (const std::uint32_t part : book_.parts(number)) {
        const double size = book_.size(part);
        out += size * packet_in_progress(part, at);
        members += size;
    }
    return out / members;
}

void FlowLinks::answer_back(std::uint32_t number, double ps, std::uint64_t now, std::uint64_t answered)
{
    answered_ps_ = answered;
    book_.for_reverse_of(number, [&](std::uint32_t other) { occupy_back(other, ps, now); });
    answered_ps_ = 0;
}

void FlowLinks::occupy_back(std::uint32_t number, double ps, std::uint64_t now)
{
    LinkGroup& group = book_.group(number);
    if (group.split) {
        for (const std::uint32_t part : book_.parts(number)) occupy_back(part, ps, now);
        return;
    }
    book(number, ps, now);
}

}  // namespace weft
