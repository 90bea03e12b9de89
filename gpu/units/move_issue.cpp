#include "gpu/units/move_issue.h"

#include <algorithm>
#include <cstring>

#include "gpu/network/line_tag.h"
#include "gpu/units/transaction_cut.h"

namespace weft {

void MoveIssue::issue_loads(ComputeUnit& unit, Wavefront& wave)
{
    if (wave.sets.empty() || !wave.sets.newest().loading) {
        wave.open_instruction();
        if (wave.operation->sources == 0) {
            wave.pass_on();
            if (wave.can_store()) issue_stores(unit, wave);
            return;
        }
    }
    const unsigned place = wave.sets.newest_place();
    RegisterSet& set = wave.sets.at(place);
    const Operation& move = *set.move;
    const Workgroup& group = *wave.group;
    if (group.in_packets(move, wave.load.operand)) {
        packets_.issue_loads(unit, wave);
        return;
    }
    const Time now = scheduler_.now();
    const std::uint64_t base = group.operand(move, wave.load.operand) + set.offset;
    const LineTag tag{unit.number(), wave.context, LineUse::load, group.operands.packed(place, wave.load.operand)};
    const std::uint32_t transfer = group.transfer_of(move, wave.load.operand);
    const bool in_switch = is_group(base);
    const bool plain = !in_switch && !cache_.cacheable(move.scope, base);
    const std::uint32_t grain = plain ? grain_ : line_bytes;
    bool first = true;
    while (wave.load.position < set.bytes) {
        if (unit.in_flight().full()) return;
        const std::uint64_t address = base + wave.load.position;
        const std::uint32_t size = transaction_bytes(address, set.bytes - wave.load.position, grain);
        const LineIssue issue = network_.take().begin(LineOp::read, address, size).tag(tag.packed()).transfer(transfer);
        ++set.waiting;
        wave.load.position += size;
        const Time delay = book(unit, issue, first, now);
        if (plain) {
            network_.send(issue, unit, delay);
        } else if (in_switch) {
            network_.send(issue.become(LineOp::load_reduce), unit, delay);
        } else {
            cache_.load(issue, unit, delay);
        }
        first = false;
    }
    wave.operand_loaded(set);
}

// A store that is more than a request to its destination: one that switches do, or that the L1 must know of.
void MoveIssue::store_apart(const LineIssue& issue, ComputeUnit& unit, const Operation& move)
{
    const Line& line = issue;
    if (is_group(line.address)) {
        issue.become(move.pushes ? LineOp::reduce : LineOp::multicast);
    } else {
        CachedAccess::store(line, unit);
    }
}

void MoveIssue::issue_stores(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    const unsigned place = wave.sets.oldest_place();
    const RegisterSet& set = wave.sets.at(place);
    const Operation& move = *set.move;
    const unsigned operand = move.sources + wave.store.operand;
    if (group.in_packets(move, operand)) {
        packets_.issue_stores(unit, wave);
        return;
    }
    const Time now = scheduler_.now();
    const std::uint64_t base = group.operand(move, operand) + set.offset;
    const std::uint32_t transfer = group.transfer_of(move, operand);
    const bool plain = !CachedAccess::present(unit) && !is_group(base);
    const std::uint8_t* data = data_on_ && move.sources > 0 ? wave.registers(place, 0) : nullptr;
    const std::uint32_t grain = plain ? grain_ : line_bytes;
    bool first = true;
    while (wave.store.position < set.bytes) {
        if (unit.in_flight().full()) return;
        const std::uint64_t address = base + wave.store.position;
        const std::uint32_t size = transaction_bytes(address, set.bytes - wave.store.position, grain);
        Line& line = network_.take();
        const LineIssue issue = line.begin(LineOp::write, address, size);
        if (data != nullptr) {
            std::memcpy(line.data(), data + wave.store.position, size);
        } else if (data_on_) {
            std::memset(line.data(), 0, size);
        }
        const std::uint32_t epoch = group.open.begin_store(network_.is_near(line));
        issue.tag(LineTag{unit.number(), wave.context, LineUse::store, 0, epoch}.packed()).transfer(transfer);
        wave.store.position += size;
        if (!plain) store_apart(issue, unit, move);
        network_.send(issue, unit, book(unit, line, first, now));
        first = false;
    }
    wave.operand_stored(move);
}

bool MoveIssue::loaded(Wavefront& wave, Line& line)
{
    const Workgroup& group = *wave.group;
    const std::uint32_t code = LineTag::of(line.tag).code;
    const std::uint32_t place = group.operands.set(code);
    RegisterSet& set = wave.sets.at(place);
    if (data_on_ && set.move->destinations > 0) {
        const std::uint32_t source = group.operands.source(code);
        std::memcpy(wave.registers(place, source) + (line.address - group.operand(*set.move, source) - set.offset),
            line.data(), line.size);
    }
    network_.give(line);
    if (--set.waiting > 0 || set.loading) return false;
    complete(wave, place);
    return true;
}

void MoveIssue::complete(Wavefront& wave, unsigned place)
{
    const RegisterSet& set = wave.sets.at(place);
    const Operation& move = *set.move;
    if (data_on_ && move.destinations > 0)
        for (unsigned source = 1; source < move.sources; ++source)
            reduce_elements(move.type, move.reduction, wave.registers(place, 0), wave.registers(place, source),
                set.bytes);
    while (!wave.sets.empty() && wave.sets.oldest().move->destinations == 0 && wave.sets.oldest().complete())
        wave.sets.retire();
}

}  // namespace weft
