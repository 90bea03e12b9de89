#include "collectives/synthesis/thread_pace.h"

#include <algorithm>
#include <cmath>

#include "collectives/synthesis/switch_routes.h"

namespace weft {

namespace {

bool goes_in_packets(const ChunkRef& ref) { return ref.buffer == Buffer::packets; }

}  // namespace

MoveLoad move_load(const CostGraph& graph, std::uint32_t rank, const Step& step, double share, PacketFormat format)
{
    const CostRank& self = graph.ranks[rank];
    const std::uint32_t chunks = step.sources.front().count;
    const double bytes = share * chunks;
    const double packed =
        static_cast<double>(chunks * packet_bytes(format, static_cast<std::uint64_t>(std::ceil(share))));
    const bool packets = std::any_of(step.sources.begin(), step.sources.end(), goes_in_packets) ||
        std::any_of(step.destinations.begin(), step.destinations.end(), goes_in_packets);
    const auto in_all = [&](const ChunkRef& ref) { return goes_in_packets(ref) ? packed : bytes; };
    const bool from_group = loads_group(step.kind);
    const bool to_group = stores_group(step.kind);
    MoveLoad load;
    load.data = bytes;
    load.bytes = packets ? packed : bytes;
    load.round_ps = self.load_ps;
    double own_bytes = 0;
    std::uint64_t own_ps = self.load_ps;  // of the slowest operand: a register set waits for all of them
    for (const ChunkRef& source : step.sources) {
        if (goes_in_packets(source)) {
            load.issued += in_all(source);
            load.own_byte_ps += in_all(source) * static_cast<double>(self.load_ps);
            load.load_byte_ps += in_all(source) * static_cast<double>(self.load_ps);
            load.load_ps = std::max(load.load_ps, self.load_ps);
            continue;
        }
        const std::uint64_t cold = source.buffer == Buffer::input ? graph.ranks[source.rank].cold_ps : 0;
        const CostPath& path = graph.path(rank, source.rank);
        const bool own = source.rank == rank;
        const std::uint64_t held_ps = cold + (own ? self.load_ps : path.put_ps + path.answer_ps);
        load.load_ps = std::max(load.load_ps, held_ps);
        if (from_group) continue;
        load.issued += bytes;
        if (own) {
            own_bytes += bytes;
            own_ps = std::max(own_ps, cold + self.load_ps);
            load.refill_ps = std::max(load.refill_ps, cold + std::max(self.load_ps, self.refill_ps));
        } else {
            ++load.gets;
            load.load_byte_ps += bytes * static_cast<double>(held_ps);
        }
    }
    load.own_byte_ps += own_bytes * static_cast<double>(own_ps);
    load.load_byte_ps += own_bytes * static_cast<double>(own_ps);
    if (from_group) {  // one operand, that the switch makes of all
        load.issued += bytes;
        load.load_byte_ps = bytes * static_cast<double>(load.load_ps);
        load.gets = 1;
    }
    if (load.gets > 0) load.round_ps = std::max(load.round_ps, load.load_ps);
    load.remote = bytes * load.gets;
    for (const ChunkRef& destination : step.destinations) {
        if (!to_group) load.issued += in_all(destination);
        if (destination.rank == rank) {
            if (to_group) continue;
            load.own_byte_ps += in_all(destination) * static_cast<double>(self.load_ps);
            load.store_byte_ps += in_all(destination) * static_cast<double>(self.load_ps);
            continue;
        }
        const CostPath& path = graph.path(rank, destination.rank);
        load.round_ps = std::max(load.round_ps, path.put_ps + path.answer_ps);
        if (to_group) continue;
        load.remote += in_all(destination);
        load.store_byte_ps += in_all(destination) * static_cast<double>(path.put_ps + path.answer_ps);
    }
    load.stays = load.remote == 0 && !to_group;
    if (to_group) {
        load.issued += bytes;
        load.remote += bytes;
        load.store_byte_ps = bytes * static_cast<double>(load.round_ps);
    }
    return load;
}

MoveLoad MoveLoad::divided_by(double parts) const
{
    MoveLoad one = *this;
    for (double* bytes : {&one.bytes, &one.data, &one.issued, &one.loads, &one.remote, &one.own_byte_ps,
             &one.load_byte_ps, &one.store_byte_ps})
        *bytes /= parts;
    return one;
}

ThreadPace::ThreadPace(const CostRank& rank, std::size_t threads, std::uint32_t each)
    : issue_ps_per_byte_(rank.issue_ps_per_byte / each), registers_(rank.registers * each), sets_(rank.sets),
      wavefronts_(rank.wavefronts * each)
{
    const double sharing = std::max(1.0, std::ceil(static_cast<double>(threads * each) / rank.units));
    outstanding_ = rank.outstanding * each / sharing;
}

double ThreadPace::slots_behind(const MoveLoad& move, double part) const
{
    const double held = registers_ > 0 ? std::min(move.bytes * part, registers_) : move.bytes * part;
    const double loads = move.bytes > 0 ? held / move.bytes * move.loads * issue_ps_per_byte_ : 0;
    return part * move.issued * issue_ps_per_byte_ - std::min(loads, static_cast<double>(move.load_ps));
}

double ThreadPace::registers_ps(const MoveLoad& move) const
{
    if (registers_ <= 0 || move.bytes <= registers_) return 0;
    // Peers answer at different times, so their data come evenly.
    if (move.gets > 0 || move.refill_ps == 0)
        return (move.bytes - registers_) / registers_ * static_cast<double>(move.load_ps);
    const double before = std::ceil(move.bytes / registers_) - 1;
    const double last = 1 - before * registers_ / move.bytes;  // the part in the last round
    const double slots = move.stays ? 0 : slots_behind(move, last);
    return before * static_cast<double>(move.refill_ps) + slots;
}

std::uint64_t ThreadPace::issue_ps(const MoveLoad& move) const
{
    double time = slots_behind(move, 1);
    time = std::max(time, registers_ps(move));
    if (outstanding_ > 0 && move.in_flight() > outstanding_)
        time = std::max(time, (move.in_flight() - outstanding_) / outstanding_ * static_cast<double>(move.round_ps));
    return static_cast<std::uint64_t>(std::llround(time));
}

// At a limit the lines that fit within it are issued at the pace of issue slots, and the others when answers come.
ThreadPace::IssueParts ThreadPace::issue_parts(const MoveLoad& move) const
{
    const double slots = slots_behind(move, 1);
    double time = slots;
    double within = 1;
    IssueParts out;
    const auto window = [&](double in_flight, double size, double limited, bool outstanding) {
        if (size <= 0 || in_flight <= size || limited <= time) return;
        time = limited;
        within = size / in_flight;
        out.outstanding = outstanding;
    };
    window(move.bytes, registers_, registers_ps(move), false);
    window(move.in_flight(), outstanding_,
        (move.in_flight() - outstanding_) / outstanding_ * static_cast<double>(move.round_ps), true);
    out.busy_ps = static_cast<std::uint64_t>(std::llround(slots * within));
    return out;
}

std::uint64_t ThreadPace::turn_ps(const MoveLoad& move) const
{
    const std::uint64_t issue = std::max(issue_ps(move), slots_ps(move));
    if (registers_ <= 0) return issue;
    return std::max(issue,
        static_cast<std::uint64_t>(std::llround(shares(move) / sets_ * static_cast<double>(move.load_ps))));
}

std::size_t ThreadPace::at_once(const MoveLoad& move) const
{
    if (registers_ <= 0) return ~std::size_t{0};
    return std::max<std::size_t>(1, static_cast<std::size_t>(sets_ / shares(move)));
}

MovePieces ThreadPace::whole(const MoveLoad& move) const
{
    const std::uint64_t issue = issue_ps(move);
    return {1, registers_ > 0 ? std::min(shares(move), sets_) : 0, false, issue, issue};
}

MovePieces ThreadPace::in_pieces(const MoveLoad& move) const
{
    constexpr double most = 128;
    constexpr double at_once = 8;
    if (registers_ <= 0) return whole(move);
    const double sets = shares(move);
    const double by_wavefronts = std::ceil(move.bytes / (registers_ / sets_) * wavefronts_);
    const double wanted = std::min(std::ceil(at_once * sets / sets_), by_wavefronts);
    const double count = std::clamp(wanted, 1.0, most);
    MovePieces out;
    out.count = static_cast<std::uint32_t>(count);
    out.coarse = count < wanted;
    out.sets = out.coarse ? sets_ / at_once : std::min(sets / count, sets_);
    const double together = std::min(count, sets_ / out.sets);
    out.issue_ps = issue_ps(move.divided_by(count / together));
    out.turn_ps = static_cast<std::uint64_t>(static_cast<double>(out.issue_ps) / together);
    return out;
}

double ThreadPace::in_registers(const MoveLoad& move) const { return registers_ * move.gets; }

}  // namespace weft
