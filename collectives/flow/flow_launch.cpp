// FlowCore: transfers that begin.
#include <algorithm>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

namespace {

constexpr double least_part_bytes = 256;
constexpr double least_fine_bytes = 512;

}  // namespace

std::uint32_t FlowCore::parts_of(double bytes, Ps span) const
{
    if (span == 0) return 1;
    return std::clamp(static_cast<std::uint32_t>(std::min(bytes / least_part_bytes, 1e6)), 1U, profile_.most_parts);
}

std::uint32_t FlowCore::parts_of(const Move& move, double bytes, Ps span) const
{
    return std::max(move.least_parts, std::min(move.most_parts, parts_of(bytes, span)));
}

// Number of parts of a store. A long store by a link that joins two ranks is cut into smaller parts than others.
std::uint32_t FlowCore::parts_of_store(const Move& move, const FlowFlight& flight, Ps span) const
{
    const std::uint32_t parts = parts_of(move, flight.bytes, span);
    if (span == 0 || flight.stages != 1) return parts;
    const auto fine = static_cast<std::uint32_t>(std::min(flight.bytes / least_fine_bytes, 1e6));
    return std::max(parts, std::min(fine, profile_.most_fine_parts));
}

// In the order in which its lines are issued, the last one `span` after the first. The last part, or the only one, comes `late` behind
// that; if it `gives_way`, only as long as its link has something else to pass (give_way). Returns how many parts are under way then.
std::uint32_t FlowCore::launch_parts(const Transfer& transfer, Ps span, std::uint32_t wanted, Ps late, bool gives_way)
{
    const double bytes = transfer.flight.bytes;
    const bool packets = transfer.use == Use::put && transfer.target != none;
    ++messages_;
    const std::uint32_t parts = packets ? 1 : wanted;
    if (parts == 1 && late == 0) return launch_transfer(transfer) ? 1 : 0;
    const bool may_be_alone = transfer.use == Use::put && !packets && !devices_ && !transfer.takes_place() &&
        transfer.flight.head_ps == now_ && book_.alone(transfer.flight.path);
    std::uint32_t under_way = 0;
    const double part_bytes = bytes / parts;
    const double part_messages = transfer.flight.messages / parts;
    for (std::uint32_t part = 0; part < parts; ++part) {
        const bool last = part + 1 == parts;
        const Ps more = last && !gives_way ? late : 0;
        const Ps head = transfer.flight.head_ps + span * part / parts + more;
        const Ps earliest = last ? transfer.earliest + more : 0;
        if (last && gives_way && late > 0) {
            Transfer part_of = transfer;
            part_of.flight.bytes = part_bytes;
            part_of.flight.messages = part_messages;
            part_of.earliest = earliest;
            part_of.began += head - part_of.flight.head_ps;
            part_of.flight.head_ps = head;
            give_way(part_of, head + late);
        } else if (may_be_alone && head == now_) {
            Transfer alone = transfer;
            alone.flight.bytes = part_bytes;
            alone.flight.messages = part_messages;
            alone.earliest = earliest;
            if (!launch_transfer(alone)) continue;
        } else {
            begin_transfer(transfer, part_bytes, part_messages, head, earliest);
        }
        ++under_way;
    }
    return under_way;
}

void FlowCore::begin_transfer(const Transfer& transfer, double bytes, double messages, Ps head, Ps earliest)
{
    std::uint32_t number = 0;
    Transfer& made = transfers_.open(number);
    made = transfer;
    made.flight.bytes = bytes;
    made.flight.messages = messages;
    made.began = transfer.began + (head - transfer.flight.head_ps);
    made.flight.head_ps = head;
    made.earliest = earliest;
    push(head, transfer.takes_place() ? Kind::issue : Kind::hop, number);
}

// Whether it is under way. A put that begins now on a link of its own meets nobody: its end is known at once.
bool FlowCore::launch_transfer(const Transfer& transfer)
{
    if (transfer.flight.head_ps == now_ && transfer.use == Use::put && transfer.target == none && !devices_ &&
        !transfer.takes_place() && book_.alone(transfer.flight.path)) {
        FlowFlight flight = transfer.flight;
        if (ties_.watched()) note_tie(transfer.thread, flight.stage, true);
        links_.pass(flight);
        Thread& thread = threads_[transfer.thread];
        const Ps end = std::max(flight.tail_ps, transfer.earliest) + transfer.answer + transfer.fetch_ps;
        thread.settled = std::max(thread.settled, end);
        if (logs()) {
            Transfer ended = transfer;
            ended.flight = flight;
            log_stored(ended, flight.tail_ps, end);
        }
        return false;
    }
    std::uint32_t number = 0;
    transfers_.open(number) = transfer;
    push(transfer.flight.head_ps, transfer.takes_place() ? Kind::issue : Kind::hop, number);
    return true;
}

}  // namespace weft
