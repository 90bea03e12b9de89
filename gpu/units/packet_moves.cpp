#include "gpu/units/packet_moves.h"

#include <algorithm>

#include "gpu/network/line_tag.h"

namespace weft {

void PacketMoves::issue_loads(ComputeUnit& unit, Wavefront& wave)
{
    const Workgroup& group = *wave.group;
    const unsigned place = wave.sets.newest_place();
    RegisterSet& set = wave.sets.at(place);
    const std::uint64_t base = group.operand(*set.move, wave.load.operand) + packet_bytes(group.format, set.offset);
    const std::uint64_t total = packet_bytes(group.format, set.bytes);
    const LineTag tag{unit.number(), wave.context, LineUse::fetch, group.operands.packed(place, wave.load.operand), 1};
    bool first = true;
    progress_.polls_at_once();
    while (wave.load.position < total) {
        if (unit.in_flight().full()) return;
        const std::uint64_t address = base + wave.load.position;
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(line_bytes - address % line_bytes, total - wave.load.position));
        const LineIssue issue = network_.take().begin(LineOp::read, address, size);
        issue.flag(LineHeader::packet_flag).tag(tag.packed()).transfer(group.transfer_of(*set.move, wave.load.operand));
        ++set.waiting;
        wave.load.position += size;
        network_.send(issue, unit, unit.book(address, first, scheduler_.now()));
        first = false;
    }
    wave.operand_loaded(set);
}

void PacketMoves::issue_stores(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    const unsigned place = wave.sets.oldest_place();
    const RegisterSet& set = wave.sets.at(place);
    const Operation& move = *set.move;
    const unsigned operand = move.sources + wave.store.operand;
    const std::uint64_t base = group.operand(move, operand) + packet_bytes(group.format, set.offset);
    const std::uint64_t total = packet_bytes(group.format, set.bytes);
    const bool has_data = data_on_ && move.sources > 0;
    const std::uint8_t* data = has_data ? wave.registers(place, 0) : nullptr;
    bool first = true;
    while (wave.store.position < total) {
        if (unit.in_flight().full()) return;
        const std::uint64_t address = base + wave.store.position;
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(line_bytes - address % line_bytes, total - wave.store.position));
        Line& line = network_.take();
        const LineIssue issue = line.begin(LineOp::write, address, size);
        if (data_on_) to_packets(group.format, data, has_data ? set.bytes : 0, wave.store.position, size, line.data());
        const std::uint32_t epoch = group.open.begin_store(network_.is_near(line));
        issue.flag(LineHeader::packet_flag)
            .tag(LineTag{unit.number(), wave.context, LineUse::store, 0, epoch}.packed())
            .transfer(group.transfer_of(move, operand));
        wave.store.position += size;
        CachedAccess::store(line, unit);
        network_.send(issue, unit, unit.book(address, first, scheduler_.now()));
        first = false;
    }
    wave.operand_stored(move);
}

void PacketMoves::poll_later(Line& line) { scheduler_.at(scheduler_.now() + spin_interval_, line, UnitItem::packets); }

bool PacketMoves::loaded(ComputeUnit& unit, Wavefront& wave, unsigned place, Line& line)
{
    Workgroup& group = *wave.group;
    RegisterSet& set = wave.sets.at(place);
    const bool polled = (line.flags & LineHeader::poll_flag) != 0;
    if (line.marked(LineHeader::missing_mark)) {
        if (!polled) ++set.missed;
        if (!wave.can_issue()) wave.stall.set(StallCause::flag, unit.in_flight(), scheduler_.now());
        poll_later(line);
        if (polled && progress_.busy_in_vain(scheduler_.now())) give_up();
        found_missing(group);
        return false;
    }
    if (polled) {
        --set.missed;
        if (log_.on()) log_.detect(line, wave);
    }
    if (group.lacks_packets) {
        group.lacks_packets = group.spinning = false;
        progress_.busy();
        progress_.leave_spin();
    }
    if (data_on_ && set.move->destinations > 0) {
        const std::uint32_t source = group.operands.source(LineTag::of(line.tag).code);
        from_packets(group.format, line.data(),
            line.address - group.operand(*set.move, source) - packet_bytes(group.format, set.offset), line.size,
            wave.registers(place, source), set.bytes);
    }
    network_.give(line);
    return --set.waiting == 0 && !set.loading;
}

void PacketMoves::poll(Line& line, ComputeUnit& unit)
{
    if (unit.in_flight().full()) {
        poll_later(line);
        return;
    }
    const LineIssue issue = line.begin(LineOp::read, line.address, line.size);
    issue.flag(LineHeader::packet_flag | LineHeader::poll_flag);
    ++polls_;
    network_.send(issue, unit, unit.book(line.address, true, scheduler_.now()));
}

// An instruction that has found some missing lacks one as long as any of its sources does. The oldest of these decides: its stores come
// first, so with it the wavefront goes on.
std::uint64_t PacketMoves::missing(const Wavefront& wave) const
{
    const Workgroup& group = *wave.group;
    for (unsigned i = 0; i < wave.sets.in_flight(); ++i) {
        const RegisterSet& set = wave.sets[i];
        if (set.missed == 0) continue;
        const std::uint64_t total = packet_bytes(group.format, set.bytes);
        for (unsigned source = 0; source < set.move->sources; ++source) {
            if (!group.in_packets(*set.move, source)) continue;
            const std::uint64_t first = group.operand(*set.move, source) + packet_bytes(group.format, set.offset);
            for (std::uint64_t at = first; at < first + total; at += MemoryImage::packet_grain)
                if (!image_->packets_there(local_of(at), MemoryImage::packet_grain)) return at;
        }
        return 0;
    }
    return 0;
}

// All its wavefronts have come to an end, wait for each other or for packets, and nothing of it is on its way.
bool PacketMoves::only_lacks_packets(const Workgroup& group) const
{
    if (!group.open.none()) return false;
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        const Wavefront& wave = group.unit->wave(static_cast<std::uint32_t>(__builtin_ctzll(left)));
        if (wave.operation == nullptr || wave.at_barrier) continue;
        bool missed = false;
        for (unsigned i = 0; i < wave.sets.in_flight(); ++i) {
            const RegisterSet& set = wave.sets[i];
            if (set.waiting != set.missed) return false;
            missed |= set.missed > 0;
        }
        if (!missed || wave.can_issue()) return false;
    }
    return true;
}

// Tells Progress of a workgroup that only packets can help, as of one that spins on a flag. Nothing changes any more once
// nothing is busy, so the memory itself tells whether its polls are in vain.
void PacketMoves::found_missing(Workgroup& group)
{
    if (!group.lacks_packets) {
        if (group.spinning || !only_lacks_packets(group)) return;
        group.lacks_packets = group.spinning = true;
        progress_.enter_spin();
        progress_.quiet(scheduler_.now());
    }
    if (progress_.anything_busy()) return;  // loaded() has asked whether that waits in vain
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        const Wavefront& wave = group.unit->wave(static_cast<std::uint32_t>(__builtin_ctzll(left)));
        bool missed = false;
        for (unsigned i = 0; i < wave.sets.in_flight(); ++i) missed |= wave.sets[i].missed > 0;
        if (missed && missing(wave) == 0) return;
    }
    if (progress_.polled_in_vain(scheduler_.now(), group.vain_epoch)) give_up();
}

void PacketMoves::give_up()
{
    cannot_progress_ = true;
    scheduler_.stop_run();
}

}  // namespace weft
