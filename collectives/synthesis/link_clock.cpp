#include "collectives/synthesis/link_clock.h"

#include <algorithm>
#include <cmath>

namespace weft {

namespace {

std::uint64_t behind(std::uint64_t latency, const CostPath& path, std::size_t first)
{
    for (std::size_t s = first; s < path.stages.size(); ++s) latency -= std::min(latency, path.stages[s].before_ps);
    return latency;
}

Flight flight_of(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t head, std::uint64_t rest)
{
    Flight out;
    out.path = &path;
    out.sender = sender;
    out.bytes = bytes;
    out.head_ps = head;
    out.rest_ps = rest;
    return out;
}

}  // namespace

Flight LinkClock::put(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t now)
{
    return flight_of(path, sender, bytes, now + path.stages.front().before_ps, behind(path.put_ps, path, 0));
}

Flight LinkClock::answer(const CostPath& path, std::uint32_t sender, const CostPath& request, double bytes,
    std::uint64_t now)
{
    return flight_of(path, sender, bytes, now, behind(request.answer_ps, path, 1));
}

Flight LinkClock::of_group(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t now,
    std::uint64_t rest)
{
    Flight out = flight_of(path, sender, bytes, now + path.stages.front().before_ps, rest);
    out.of_group = true;
    return out;
}

bool LinkClock::pass(Flight& flight)
{
    const std::vector<PathStage>& stages = flight.path->stages;
    const std::uint64_t now = flight.head_ps;
    std::uint64_t left = flight.rest_ps;
    for (std::size_t s = flight.stage + 1; s < stages.size(); ++s) left += stages[s].before_ps;
    std::uint64_t head = now;
    flight.tail_ps = std::max(flight.tail_ps, now + left);
    const std::uint64_t span = flight.tail_ps - now - left;  // all of it has come
    for (const LinkShare& part : stages[flight.stage].links) {
        const CostLink& link = graph_.links[part.link];
        if (flight.bytes <= 0) {
            pass_signal(part, flight, left, head);
            continue;
        }
        if (link.at_once > 0) {
            pass_contexts(part, flight, left, span, head);
            continue;
        }
        const double bytes = flight.bytes * part.share;
        const double there = (flight.of_group ? link.group_ps_per_byte : link.ps_per_byte) +
            (flight.pushed ? link.push_more_ps_per_byte : 0);
        const double back = flight.of_group ? link.group_back_ps_per_byte : link.back_ps_per_byte;
        const std::uint64_t begin = std::max(now, free_[part.link]);
        Queue& queue = queues_[part.link];
        if (begin == now || queue.sender == nobody) queue = {flight.sender, false};
        queue.mixed = queue.mixed || queue.sender != flight.sender;
        const bool crowded = !flight.path->neighbours && queue.mixed && link.buffer > 0 &&
            static_cast<double>(begin - now) > link.buffer * link.ps_per_byte;
        occupy(part.link,
            bytes * there * (crowded ? slowed_by_ranks : 1) +
                headers_ps(link, flight.messages * part.share, flight.message),
            now);
        payload_[part.link] += bytes;
        if (link.reverse >= 0)
            occupy(static_cast<std::uint32_t>(link.reverse),
                bytes * back + flight.messages * part.share * link.answer_ps, now);
        head = std::max(head, begin);
        flight.tail_ps = std::max(flight.tail_ps, free_[part.link] + left);
    }
    if (++flight.stage >= stages.size()) {
        flight.head_ps = head;
        return false;
    }
    flight.head_ps = head + stages[flight.stage].before_ps;
    return true;
}

bool LinkClock::shares_packet(std::uint32_t number, const CostPath* path, std::uint64_t turn)
{
    const CostLink& link = graph_.links[number];
    if (link.shared_packet_ps <= 0) return false;
    return signal_joins(open_[std::uint64_t{number} << 32 | static_cast<std::uint64_t>(path - graph_.paths.data())],
        link, turn);
}

// Signals of different threads mix with data on a wire: one takes its turn behind other signals, and data wait for it.
void LinkClock::pass_signal(const LinkShare& part, Flight& flight, std::uint64_t left, std::uint64_t& head)
{
    const CostLink& link = graph_.links[part.link];
    if (link.signal_ps <= 0) return;
    std::uint64_t& free = signals_free_[part.link];
    const std::uint64_t turn = std::max(flight.head_ps, free);
    const double less = shares_packet(part.link, flight.path, turn) ? link.shared_packet_ps : 0;
    const double signals = flight.messages * part.share;
    const double wire = signals * (link.signal_ps - less);
    free = turn + static_cast<std::uint64_t>(std::llround(wire));
    occupy(part.link, wire, flight.head_ps);
    if (link.reverse >= 0)
        occupy(static_cast<std::uint32_t>(link.reverse), signals * std::max(0.0, link.signal_back_ps - less),
            flight.head_ps);
    head = std::max(head, turn);
    flight.tail_ps = std::max(flight.tail_ps, turn + left);
}

void LinkClock::pass_contexts(const LinkShare& part, Flight& flight, std::uint64_t left, std::uint64_t span,
    std::uint64_t& head)
{
    const CostLink& link = graph_.links[part.link];
    const std::uint64_t now = flight.head_ps;
    const double bytes = flight.bytes * part.share;
    const double rate = link.group_ps_per_byte + (flight.cold ? link.cold_more_ps_per_byte : 0);
    const double late = flight.pushed ? link.push_more_ps_per_byte : 0;
    const ContextWindow::Pass pass =
        contexts_[part.link].pass(bytes / link.at_once, rate * link.at_once, now, span, late * link.at_once);
    busy_[part.link] += bytes * rate;
    payload_[part.link] += bytes;
    head = std::max(head, pass.begin_ps);
    flight.tail_ps = std::max(flight.tail_ps, pass.end_ps + left);
}

void LinkClock::occupy(std::uint32_t link, double ps, std::uint64_t now)
{
    free_[link] = std::max(free_[link], now) + static_cast<std::uint64_t>(std::llround(ps));
    busy_[link] += ps;
}

}  // namespace weft
