// Which line a compute unit issues next: the moves.
#include <algorithm>
#include <cstring>

#include "gpu/compute_units.h"
#include "gpu/line_tag.h"

namespace weft {

// Instructions meet where the first operand reaches the end of a line, so that aligned operands are not cut twice.
std::uint64_t ComputeUnits::begin_of(const Workgroup& group, const Operation& move, std::uint64_t instruction) const
{
    if (instruction == 0) return 0;
    const std::uint64_t skew = group.aligned ? operand(group, move, 0) % line_bytes : 0;
    return instruction * group.instruction_bytes - skew;
}

bool ComputeUnits::has_instruction(const Workgroup& group, const Wavefront& wave) const
{
    return wave.operation != nullptr && wave.operation->kind == Operation::Kind::move &&
        begin_of(group, *wave.operation, wave.instruction) < wave.operation->bytes;
}

bool ComputeUnits::can_store(const Wavefront& wave) const
{
    return wave.count > 0 && wave.set(0).complete() && wave.set(0).move->destinations > 0;
}

bool ComputeUnits::can_issue(const Workgroup& group, const Wavefront& wave) const
{
    if (wave.to_issue || can_store(wave)) return true;
    if (wave.count > 0 && wave.set(wave.count - 1U).loading) return true;
    return wave.count < wave.sets.size() && has_instruction(group, wave);
}

// To be called when something about the wavefront has changed.
void ComputeUnits::update(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    const Workgroup& group = groups_[wave.group];
    const std::uint64_t bit = std::uint64_t{1} << context;
    if (can_issue(group, wave)) {
        set_cause(unit, wave, StallCause::issue);
        unit.ready |= bit;
        touch(number);
        return;
    }
    unit.ready &= ~bit;
    if (wave.operation != nullptr && wave.operation->kind == Operation::Kind::move)
        set_cause(unit, wave, has_instruction(group, wave) ? StallCause::registers : StallCause::loads);
}

// As update(), and goes on to the next operation when a move is over for this wavefront.
void ComputeUnits::advance(std::uint32_t number, std::uint32_t context)
{
    const Wavefront& wave = units_[number].waves[context];
    if (wave.count == 0 && wave.operation != nullptr && wave.operation->kind == Operation::Kind::move &&
        !has_instruction(groups_[wave.group], wave)) {
        start_next(number, context);
    } else {
        update(number, context);
    }
}

void ComputeUnits::serve_unit(std::uint32_t number)
{
    Unit& unit = units_[number];
    if (unit.ready == 0 || full(unit)) return;
    const Time now = event_queue().now();
    if (unit.issue.free_at() <= now) {
        // Contexts behind the last one served, then the others.
        const std::uint64_t behind = unit.last >= contexts - 1 ? 0 : ~std::uint64_t{0} << (unit.last + 1);
        const std::uint64_t first = unit.ready & behind;
        unit.last = static_cast<std::uint32_t>(__builtin_ctzll(first != 0 ? first : unit.ready));
        Wavefront& wave = unit.waves[unit.last];
        set_cause(unit, wave, StallCause::none);
        const std::uint32_t context = unit.last;
        issue(number, context);
        advance(number, context);
        if (wave.number == 0 && wave.cause_since == now && wave.cause != StallCause::none &&
            unit.issue.free_at() > now) {
            wave.spent[static_cast<unsigned>(StallCause::none)] += unit.issue.free_at() - now;
            wave.cause_since = unit.issue.free_at();
        }
        if (unit.ready == 0 || full(unit)) return;
    }
    if (!unit.wake.scheduled)
        event_queue().schedule(unit.wake, *this, std::max(now, unit.issue.free_at()), number & 0xfffU);
}

void ComputeUnits::issue(std::uint32_t number, std::uint32_t context)
{
    const Wavefront& wave = units_[number].waves[context];
    if (wave.to_issue) {
        issue_word(number, context);
    } else if (can_store(wave)) {
        issue_stores(number, context);
    } else {
        issue_loads(number, context);
    }
}

// When the request for the line at `address` leaves, after now.
Time ComputeUnits::slot(Unit& unit, std::uint64_t address, bool first)
{
    const bool with_the_last = !first && spec_.coalesce > line_bytes && address % spec_.coalesce >= line_bytes;
    if (!with_the_last) unit.slot = unit.issue.book(event_queue().now(), 1).start;
    return unit.slot - event_queue().now();
}

void ComputeUnits::send(const LineIssue& issue, std::uint32_t number, Time delay)
{
    paths_.route(issue);
    if (log_ != nullptr) follow(issue, number, delay);
    Unit& unit = units_[number];
    ++unit.outstanding;
    if (full(unit)) unit.full_since = event_queue().now();
    ++lines_;
    memory.send_request(issue, ports_.set_out(number, issue.line(), event_queue().now(), delay));
}

void ComputeUnits::open_set(const Workgroup& group, Wavefront& wave)
{
    const Operation& move = *wave.operation;
    const std::uint64_t begin = begin_of(group, move, wave.instruction);
    const std::uint64_t end = std::min(move.bytes, begin_of(group, move, wave.instruction + 1));
    wave.instruction += group.wavefronts;
    wave.set(wave.count++) = {&move, begin, static_cast<std::uint32_t>(end - begin), 0, move.sources > 0};
}

// Goes on to the next move if that one need not wait for the data of this one.
void ComputeUnits::pass_on(const Workgroup& group, Wavefront& wave)
{
    const std::vector<Operation>& operations = group.program->operations;
    while (!has_instruction(group, wave) && wave.next < operations.size() && operations[wave.next].with_previous) {
        wave.operation = &operations[wave.next++];
        wave.instruction = wave.number;
    }
}

void ComputeUnits::issue_loads(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    const Workgroup& group = groups_[wave.group];
    if (wave.count == 0 || !wave.set(wave.count - 1U).loading) {
        open_set(group, wave);
        if (wave.operation->sources == 0) {
            pass_on(group, wave);
            if (can_store(wave)) issue_stores(number, context);
            return;
        }
    }
    const unsigned place = wave.place(wave.count - 1U);
    RegisterSet& set = wave.sets[place];
    const Operation& move = *set.move;
    if (in_packets(group, move, wave.load.operand)) {
        issue_packet_loads(number, context);
        return;
    }
    const std::uint64_t base = operand(group, move, wave.load.operand) + set.offset;
    const LineTag tag{number, context, LineUse::load, group.operands.packed(place, wave.load.operand)};
    const std::uint32_t transfer = transfer_of(group, move, wave.load.operand);
    const bool in_switch = is_group(base);
    const bool plain = !in_switch && !cacheable(move.scope, base);
    bool first = true;
    while (wave.load.position < set.bytes) {
        if (full(unit)) return;
        const std::uint64_t address = base + wave.load.position;
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(line_bytes - address % line_bytes, set.bytes - wave.load.position));
        const LineIssue issue = pool_.take().begin(LineOp::read, address, size).tag(tag.packed()).transfer(transfer);
        ++set.waiting;
        wave.load.position += size;
        const Time delay = slot(unit, address, first);
        if (plain) {
            send(issue, number, delay);
        } else if (in_switch) {
            send(issue.become(LineOp::load_reduce), number, delay);
        } else {
            load_through(issue, number, delay);
        }
        first = false;
    }
    operand_loaded(group, wave, set);
}

void ComputeUnits::operand_loaded(const Workgroup& group, Wavefront& wave, RegisterSet& set)
{
    wave.load.position = 0;
    if (++wave.load.operand < set.move->sources) return;
    wave.load.operand = 0;
    set.loading = false;
    pass_on(group, wave);
}

// A store that is more than a line to its destination: one that switches do, or that the L1 must know of.
void ComputeUnits::store_apart(const LineIssue& issue, std::uint32_t number, const Operation& move)
{
    const Line& line = issue;
    if (is_group(line.address)) {
        issue.become(move.pushes ? LineOp::reduce : LineOp::multicast);
    } else {
        store_through(line, number);
    }
}

void ComputeUnits::issue_stores(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    Workgroup& group = groups_[wave.group];
    const unsigned place = wave.place(0);
    const RegisterSet& set = wave.sets[place];
    const Operation& move = *set.move;
    if (in_packets(group, move, move.sources + wave.store.operand)) {
        issue_packet_stores(number, context);
        return;
    }
    const std::uint64_t base = operand(group, move, move.sources + wave.store.operand) + set.offset;
    const std::uint32_t transfer = transfer_of(group, move, move.sources + wave.store.operand);
    const bool plain = unit.l1 == nullptr && !is_group(base);
    const std::uint8_t* data = data_on_ && move.sources > 0 ? registers(group, wave, place, 0) : nullptr;
    bool first = true;
    while (wave.store.position < set.bytes) {
        if (full(unit)) return;
        const std::uint64_t address = base + wave.store.position;
        const auto size = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(line_bytes - address % line_bytes, set.bytes - wave.store.position));
        Line& line = pool_.take();
        const LineIssue issue = line.begin(LineOp::write, address, size);
        if (data != nullptr) {
            std::memcpy(line.data(), data + wave.store.position, size);
        } else if (data_on_) {
            std::memset(line.data(), 0, size);
        }
        StoreCount& stores = stores_to(group, line);
        ++stores.open[stores.epoch];
        issue.tag(LineTag{number, context, LineUse::store, 0, stores.epoch}.packed()).transfer(transfer);
        wave.store.position += size;
        if (!plain) store_apart(issue, number, move);
        send(issue, number, slot(unit, address, first));
        first = false;
    }
    operand_stored(wave, move);
}

void ComputeUnits::operand_stored(Wavefront& wave, const Operation& move)
{
    wave.store.position = 0;
    if (++wave.store.operand < move.destinations) return;
    wave.store.operand = 0;
    wave.retire();
}

}  // namespace weft
