// Which lines a compute unit issues for operands in packets, and how it waits for those that it loads.
#include <algorithm>

#include "gpu/compute_units.h"
#include "gpu/line_tag.h"

namespace weft {

void ComputeUnits::issue_packet_loads(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    const Workgroup& group = groups_[wave.group];
    const unsigned place = wave.place(wave.count - 1U);
    RegisterSet& set = wave.sets[place];
    const std::uint64_t base = operand(group, *set.move, wave.load.operand) + packet_bytes(group.format, set.offset);
    const std::uint64_t total = packet_bytes(group.format, set.bytes);
    const LineTag tag{number, context, LineUse::fetch, group.operands.packed(place, wave.load.operand), 1};
    bool first = true;
    while (wave.load.position < total) {
        if (full(unit)) return;
        const std::uint64_t address = base + wave.load.position;
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(line_bytes - address % line_bytes, total - wave.load.position));
        const LineIssue issue = pool_.take().begin(LineOp::read, address, size);
        issue.flag(LineHeader::packet_flag)
            .tag(tag.packed())
            .transfer(transfer_of(group, *set.move, wave.load.operand));
        ++set.waiting;
        wave.load.position += size;
        send(issue, number, slot(unit, address, first));
        first = false;
    }
    operand_loaded(group, wave, set);
}

void ComputeUnits::issue_packet_stores(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    Workgroup& group = groups_[wave.group];
    const unsigned place = wave.place(0);
    const RegisterSet& set = wave.sets[place];
    const Operation& move = *set.move;
    const std::uint64_t base =
        operand(group, move, move.sources + wave.store.operand) + packet_bytes(group.format, set.offset);
    const std::uint64_t total = packet_bytes(group.format, set.bytes);
    const bool has_data = data_on_ && move.sources > 0;
    const std::uint8_t* data = has_data ? registers(group, wave, place, 0) : nullptr;
    bool first = true;
    while (wave.store.position < total) {
        if (full(unit)) return;
        const std::uint64_t address = base + wave.store.position;
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(line_bytes - address % line_bytes, total - wave.store.position));
        Line& line = pool_.take();
        const LineIssue issue = line.begin(LineOp::write, address, size);
        if (data_on_) to_packets(group.format, data, has_data ? set.bytes : 0, wave.store.position, size, line.data());
        StoreCount& stores = stores_to(group, line);
        ++stores.open[stores.epoch];
        issue.flag(LineHeader::packet_flag)
            .tag(LineTag{number, context, LineUse::store, 0, stores.epoch}.packed())
            .transfer(transfer_of(group, move, move.sources + wave.store.operand));
        wave.store.position += size;
        store_through(line, number);
        send(issue, number, slot(unit, address, first));
        first = false;
    }
    operand_stored(wave, move);
}

void ComputeUnits::packets_answered(Line& line)
{
    const LineTag tag = LineTag::of(line.tag);
    Unit& unit = units_[tag.unit];
    Wavefront& wave = unit.waves[tag.context];
    Workgroup& group = groups_[wave.group];
    const std::uint32_t place = group.operands.set(tag.code);
    const std::uint32_t source = group.operands.source(tag.code);
    RegisterSet& set = wave.sets[place];
    if (full(unit)) unit.full += event_queue().now() - unit.full_since;
    --unit.outstanding;
    if (line.marked(LineHeader::missing_mark)) {
        if ((line.flags & LineHeader::poll_flag) == 0) ++set.missed;
        if (!can_issue(group, wave)) set_cause(unit, wave, StallCause::flag);
        line.kind = packets_kind;
        event_queue().schedule(line, *this, event_queue().now() + spec_.spin_interval, line.tag >> 20U);
        found_missing(group);
    } else {
        if ((line.flags & LineHeader::poll_flag) != 0) {
            --set.missed;
            if (log_ != nullptr) note_packets(line, tag.unit, tag.context);
        }
        if (group.lacks_packets) {
            group.lacks_packets = group.waiting = false;
            progress_.busy();
            progress_.leave_spin();
        }
        if (data_on_ && set.move->destinations > 0)
            from_packets(group.format, line.data(),
                line.address - operand(group, *set.move, source) - packet_bytes(group.format, set.offset), line.size,
                registers(group, wave, place, source), set.bytes);
        pool_.give(line);
        if (--set.waiting == 0 && !set.loading) set_loaded(tag.unit, tag.context, place);
    }
    if (unit.ready != 0) touch(tag.unit);
}

void ComputeUnits::look_again(Line& line)
{
    const std::uint32_t number = unit_of_tag(line.tag);
    Unit& unit = units_[number];
    if (full(unit)) {
        line.kind = packets_kind;
        event_queue().schedule(line, *this, event_queue().now() + spec_.spin_interval, line.tag >> 20U);
        return;
    }
    const LineIssue issue = line.begin(LineOp::read, line.address, line.size);
    issue.flag(LineHeader::packet_flag | LineHeader::poll_flag);
    ++polls_;
    send(issue, number, slot(unit, line.address, true));
}

// Address of packets that the wavefront waits for and that have not come, 0 if there are none. An instruction that has found
// some missing lacks one as long as any of its sources does.
std::uint64_t ComputeUnits::missing_packets(const Workgroup& group, const Wavefront& wave) const
{
    for (unsigned i = 0; i < wave.count; ++i) {
        const RegisterSet& set = wave.set(i);
        if (set.missed == 0) continue;
        const std::uint64_t total = packet_bytes(group.format, set.bytes);
        for (unsigned source = 0; source < set.move->sources; ++source) {
            if (!in_packets(group, *set.move, source)) continue;
            const std::uint64_t first = operand(group, *set.move, source) + packet_bytes(group.format, set.offset);
            for (std::uint64_t at = first; at < first + total; at += MemoryImage::packet_grain)
                if (!image_->packets_there(local_of(at), MemoryImage::packet_grain)) return at;
        }
    }
    return 0;
}

// All its wavefronts have come to an end, wait for each other or for packets, and nothing of it is on its way.
bool ComputeUnits::only_lacks_packets(const Workgroup& group) const
{
    if (group.posted + group.reads + group.bulk + group.near.total() + group.far.total() > 0) return false;
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        const Wavefront& wave = units_[group.unit].waves[static_cast<std::uint32_t>(__builtin_ctzll(left))];
        if (wave.operation == nullptr || wave.at_barrier) continue;
        bool missed = false;
        for (unsigned i = 0; i < wave.count; ++i) {
            if (wave.set(i).waiting != wave.set(i).missed) return false;
            missed |= wave.set(i).missed > 0;
        }
        if (!missed || can_issue(group, wave)) return false;
    }
    return true;
}

// Tells Progress of a workgroup that only packets can help, as of one that spins on a flag. Nothing changes any more once
// nothing is busy, so the memory itself says whether its loads look in vain.
void ComputeUnits::found_missing(Workgroup& group)
{
    if (!group.lacks_packets) {
        if (group.waiting || !only_lacks_packets(group)) return;
        group.lacks_packets = group.waiting = true;
        progress_.enter_spin();
        progress_.quiet(event_queue().now());
    }
    if (progress_.anything_busy()) return;
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        const Wavefront& wave = units_[group.unit].waves[static_cast<std::uint32_t>(__builtin_ctzll(left))];
        bool missed = false;
        for (unsigned i = 0; i < wave.count; ++i) missed |= wave.set(i).missed > 0;
        if (missed && missing_packets(group, wave) == 0) return;
    }
    if (progress_.looked_in_vain(event_queue().now(), group.vain_epoch)) {
        cannot_progress_ = true;
        event_queue().stop();
    }
}

}  // namespace weft
