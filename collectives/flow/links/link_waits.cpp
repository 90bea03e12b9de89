// FlowLinks: what waits for its turn at links, and what passes beside it.
#include <algorithm>
#include <cmath>

#include "base/line_size.h"
#include "collectives/flow/links/flow_links.h"

namespace weft {

// Behind the packet on the wire, signals and acknowledges take turns with what else is booked from `at` on: as much of it as of them
// (`own`), as pass_others() has it. Transfers that have begun keep the ends that they were told; behind the last of them comes all that
// signals and acknowledges have booked so far, without what waits here itself (`booked` of it). So nothing ends before its bytes and those
// that were served before it have passed.
std::uint64_t FlowLinks::others_between(std::uint32_t number, std::uint64_t own, std::uint64_t at,
    std::uint64_t booked) const
{
    if (!rules_.conserves) return 0;
    const LinkGroup& group = book_.group(number);
    std::uint64_t promised = group.free_ps;
    std::uint64_t until = promised;
    if (group.queued) {
        promised += waiting_[number].others_ps;
        until = promised + static_cast<std::uint64_t>(waiting_[number].data_ps);
    }
    const auto from = [&](std::uint64_t end) { return end > at + booked ? end - at - booked : 0; };
    const std::uint64_t turn = std::min(own, from(until));
    return at + turn + own > data_end(number) ? std::max(turn, from(promised)) : turn;
}

// Acknowledges of single lines, which come while a packet of data passes, leave behind it together: as many as a packet of data has lines.
// Those beyond wait for one more. (A whole transfer's acknowledges are one flight, and wait once.)
std::uint64_t FlowLinks::turn_of_acknowledge(std::uint32_t number, std::uint64_t now, std::uint64_t occupancy)
{
    Answers& answers = of_group(line_answers_, number);
    const CostLink& link = book_.figures(book_.group(number));
    const double lines_ps = link.ps_per_byte * static_cast<double>(line_bytes);
    const auto most = static_cast<std::uint32_t>(lines_ps > 0 ? std::max(1.0, link.packet_time_ps / lines_ps) : 1);
    const std::uint64_t first = now + packet_left(number, link.packet_time_ps, now);
    if (answers.end_ps < first) {
        answers = {first, 0};
    } else if (answers.lines >= most) {
        answers.end_ps += packet_left(number, link.packet_time_ps, answers.end_ps);
        answers.lines = 0;
    }
    const std::uint64_t turn = answers.end_ps;
    answers.end_ps += occupancy;
    ++answers.lines;
    return turn;
}

// The round trip of a credit, where credits alone keep what is stored below the rate of the link; else 0, and behind network cards, whose
// packets follow each other: there rate_of_acknowledges() has it.
double FlowLinks::credit_round_ps(const CostLink& link, const FlowFlight& flight) const
{
    if (!rules_.packets || flight.loaded || link.answer_credits <= 0 || link.packet_payload > 0) return 0;
    const double round =
        link.answer_round_ps + (flight.passed > 0 ? link.answer_dwell_ps : 0) + line_bytes * link.back_ps_per_byte;
    return round > acknowledged_by_credits(link) * link.ps_per_byte ? round : 0;
}

// How long so many bytes take that begin to pass at `begin` because each acknowledge needs a credit of the other direction: a bucket of
// credits, which is empty behind a burst at the rate of the link and fills in a round trip. What acknowledges wait for besides,
// rate_of_acknowledges() has.
std::uint64_t FlowLinks::credits_ps(std::uint32_t number, const FlowFlight& flight, double bytes, std::uint64_t begin)
{
    const CostLink& link = book_.figures(book_.group(number));
    const double round = credit_round_ps(link, flight);
    if (round <= 0) return 0;
    double& used = of_group(credits_used_, number);
    const double at_once = acknowledged_by_credits(link);
    used = std::max(used, static_cast<double>(begin)) + bytes / at_once * round;
    const double ahead = round - at_once * link.ps_per_byte;
    return static_cast<std::uint64_t>(std::max(0.0, used - ahead - static_cast<double>(begin)));
}

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

bool FlowLinks::crossed(const FlowStage& stage)
{
    bool out = false;
    for_groups(stage, [&](std::uint32_t number, double) {
        const LinkGroup& group = book_.group(number);
        out = out || (group.crossed && group.merges && book_.figures(group).at_once <= 0);
    });
    return out;
}

void FlowLinks::pass_part(FlowFlight& flight, const GroupShare& part, std::uint64_t now, std::uint64_t behind_ps,
    std::uint64_t waited_ps, std::uint64_t& head)
{
    behind_ps_ = behind_ps;
    waited_ps_ = waited_ps;
    span_ps_ = 0;
    const std::uint64_t left = flight.rest_ps + book_.stage(flight.stage).left_ps;
    flight.tail_ps = std::max(flight.tail_ps, now + left);
    pass_group(part.group, part.share, flight, now, left, head);
    behind_ps_ = 0;
    waited_ps_ = 0;
}

void FlowLinks::waits(std::uint32_t number, double bytes)
{
    if (waiting_.size() <= number) waiting_.resize(book_.groups());
    waiting_[number].data_ps += bytes * book_.figures(book_.group(number)).ps_per_byte;
}

// Signals and acknowledges have virtual channels of their own, which take turns with data that wait.
void FlowLinks::book(std::uint32_t number, double ps, std::uint64_t now)
{
    if (book_.group(number).queued) {
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
    group.busy_ps += busy_ps;
    const std::uint64_t counted = std::max(begin, answered_ps_);
    count(number, counted, counted + occupancy, busy_ps, 0);
}

// A transfer that the end of the run cuts off, whose whole cost has been added to the group.
void FlowLinks::count_part(std::uint32_t group, std::uint64_t begin, std::uint64_t end, double busy_ps, double payload)
{
    const double all = static_cast<double>(end - begin);
    const double part = begin < end_ ? static_cast<double>(end_ - begin) / all : 0;
    book_.group(group).busy_ps -= busy_ps * (1 - part);
    book_.group(group).payload -= payload * (1 - part);
    if (series_ != nullptr && begin < end_) series_->add(group, begin, end_, busy_ps * part, payload * part);
}

// All that is pushed comes back as copies, whose acknowledges take turns with later pushes. These have booked the link ahead, so those
// that wait for more than a round trip, or last longer, take the acknowledges along.
double FlowLinks::acknowledges_ahead(std::uint32_t number, const FlowFlight& flight, double bytes, double wait_ps,
    double ps)
{
    if (ps <= 0 || book_.link_of(number).reverse < 0) return 0;
    const double part = std::clamp((wait_ps + ps - static_cast<double>(flight.turn_ps)) / ps, 0.0, 1.0);
    const double out = part * bytes * book_.figures(book_.group(number)).group_back_ps_per_byte;
    of_group(ahead_, number) += out;
    return out;
}

void FlowLinks::pass_contexts(std::uint32_t number, double bytes, FlowFlight& flight, std::uint64_t now,
    std::uint64_t left, std::uint64_t& head)
{
    LinkGroup& group = book_.group(number);
    const CostLink& link = book_.figures(group);
    const double rate = link.group_ps_per_byte + (flight.cold ? link.cold_more_ps_per_byte : 0);
    const double late = flight.pushed ? link.push_more_ps_per_byte : 0;
    const ContextWindow::Pass pass =
        of_group(contexts_, number).pass(bytes / link.at_once, rate * link.at_once, now, span_ps_, late * link.at_once);
    group.busy_ps += bytes * rate;
    group.payload += bytes;
    count(number, pass.begin_ps, pass.end_ps, bytes * rate, bytes);
    head = std::max(head, pass.begin_ps);
    flight.tail_ps = std::max(flight.tail_ps, pass.end_ps + left);
}

void FlowLinks::answer_copied(std::uint32_t number, double ps, std::uint64_t now, std::uint64_t answered)
{
    answered_ps_ = answered;
    book_.for_reverse_of(number, [&](std::uint32_t other) {
        double& ahead = of_group(ahead_, other);
        const double booked = std::min(ahead, ps);
        ahead -= booked;
        if (ps > booked) occupy_back(other, ps - booked, now);
    });
    answered_ps_ = 0;
}

void FlowLinks::note_shared(std::uint32_t number, double ps) { of_group(shared_ps_, number) += ps; }

double FlowLinks::most_shared_ps() const
{
    return shared_ps_.empty() ? 0 : *std::max_element(shared_ps_.begin(), shared_ps_.end());
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
