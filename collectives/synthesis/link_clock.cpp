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

}  // namespace

Flight LinkClock::put(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t now)
{
    return {&path, sender, bytes, false, 0, now + path.stages.front().before_ps, behind(path.put_ps, path, 0), 0};
}

Flight LinkClock::answer(const CostPath& path, std::uint32_t sender, const CostPath& request, double bytes,
    std::uint64_t now)
{
    return {&path, sender, bytes, false, 0, now, behind(request.answer_ps, path, 1), 0};
}

Flight LinkClock::of_group(const CostPath& path, std::uint32_t sender, double bytes, std::uint64_t now,
    std::uint64_t rest)
{
    return {&path, sender, bytes, true, 0, now + path.stages.front().before_ps, rest, 0};
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
    if (flight.bytes > 0)
        for (const LinkShare& part : stages[flight.stage].links) {
            const CostLink& link = graph_.links[part.link];
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
            occupy(part.link, bytes * there * (crowded ? slowed_by_ranks : 1), now);
            payload_[part.link] += bytes;
            if (link.reverse >= 0) occupy(static_cast<std::uint32_t>(link.reverse), bytes * back, now);
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
