// Which line a compute unit issues next.
#include <algorithm>
#include <cstring>

#include "gpu/compute_units.h"

namespace weft {

namespace {

// A line's tag: workgroup place (12 bits), slot (12), source (8).
std::uint32_t make_tag(std::uint32_t group, std::uint32_t slot, std::uint32_t source)
{
    return group << 20 | slot << 8 | source;
}

}  // namespace

bool ComputeUnits::can_issue(Workgroup& group, const Unit& unit)
{
    if (group.operation == nullptr) return false;
    const Operation& operation = *group.operation;
    if (operation.kind == Operation::Kind::compute) return false;
    if (operation.kind != Operation::Kind::move) {
        if (!group.to_issue) return false;
    } else if (group.ready_count == 0 && !group.piece_open) {
        if (group.offset == operation.bytes) {
            set_cause(group, StallCause::drain);
            return false;
        }
        if (group.free_slots.empty()) {
            set_cause(group, StallCause::window);
            return false;
        }
    }
    if (unit.outstanding >= spec_.outstanding) {
        set_cause(group, StallCause::outstanding);
        return false;
    }
    return true;
}

void ComputeUnits::serve_unit(std::uint32_t number)
{
    Unit& unit = units_[number];
    const Time now = agenda().now();
    std::uint32_t able = 0;
    std::uint32_t chosen = 0;
    // Places behind the last one served, then the others.
    const std::uint64_t behind = unit.last >= 63 ? 0 : ~std::uint64_t{0} << (unit.last + 1);
    for (std::uint64_t bits : {unit.active & behind, unit.active & ~behind}) {
        for (; bits != 0; bits &= bits - 1) {
            const auto place = static_cast<std::uint32_t>(__builtin_ctzll(bits));
            Workgroup& group = groups_[number * places_ + place];
            if (!can_issue(group, unit)) continue;
            if (able++ == 0) {
                chosen = place;
            } else {
                set_cause(group, StallCause::issue);
            }
        }
    }
    if (able == 0) return;
    if (unit.issue.free_at() <= now) {
        unit.last = chosen;
        const std::uint32_t index = number * places_ + chosen;
        set_cause(groups_[index], StallCause::none);
        Workgroup& group = groups_[index];
        const std::uint64_t token = group.token;
        bool more = true;
        for (std::uint64_t line = 0; line < spec_.burst && more; ++line) {
            issue(index, unit.issue.book(now, 1).start - now);
            more = group.active && group.token == token && can_issue(group, unit);
        }
        if (able == 1 && !more) return;
    }
    if (!unit.wake.scheduled) agenda().schedule(unit.wake, *this, unit.issue.free_at(), number & 0xfffU);
}

void ComputeUnits::issue(std::uint32_t index, Time delay)
{
    Workgroup& group = groups_[index];
    if (group.operation->kind != Operation::Kind::move) {
        issue_flag(index, delay);
    } else if (group.ready_count > 0) {
        issue_store(index, delay);
    } else {
        if (!group.piece_open) open_piece(group);
        if (group.operation->sources == 0) {
            group.piece_open = false;
            make_ready(group, group.loading);
            overlap(group);
            issue_store(index, delay);
        } else {
            issue_load(index, delay);
        }
    }
}

void ComputeUnits::send(Line& line, std::uint32_t index, std::uint32_t slot, std::uint32_t source, Time delay)
{
    line.tag = make_tag(index, slot, source);
    line.source = static_cast<std::uint16_t>(endpoint_);
    line.spread >>= stripe_shift_;
    if (spread_ == SpreadMode::round_robin) {
        // Lines to groups must have the same digits at every member: those of their address.
        if (line.destination < turns_.size()) line.choose_path(spread_, turns_[line.destination]++ >> stripe_shift_);
    } else if (spread_ != SpreadMode::lines) {
        line.choose_path(spread_);
    }
    ++units_[groups_[index].unit].outstanding;
    ++lines_;
    memory.send_request(line, delay);
}

// The next piece ends where any of its operands reaches the end of a line.
void ComputeUnits::open_piece(Workgroup& group)
{
    const Operation& move = *group.operation;
    std::uint64_t size = std::min<std::uint64_t>(line_bytes, move.bytes - group.offset);
    for (unsigned i = 0; i < unsigned{move.sources} + move.destinations; ++i)
        size = std::min(size, line_bytes - (group.operand(move, i) + group.offset) % line_bytes);
    group.loading = group.free_slots.back();
    group.free_slots.pop_back();
    group.slots[group.loading] = {&move, group.offset, static_cast<std::uint8_t>(size), 0, 0, 0};
    group.offset += size;
    group.next_source = 0;
    group.piece_open = true;
    ++group.in_flight;
}

void ComputeUnits::issue_load(std::uint32_t index, Time delay)
{
    Workgroup& group = groups_[index];
    Slot& piece = group.slots[group.loading];
    Line& line = pool_.take();
    const std::uint32_t slot = group.loading;
    const std::uint32_t source = group.next_source++;
    line.begin(LineOp::read, group.operand(*piece.move, source) + piece.offset, piece.size);
    ++piece.loads;
    if (group.next_source == piece.move->sources) {
        group.piece_open = false;
        overlap(group);
    }
    send(line, index, slot, source, delay);
}

// Goes on to the next move if that one need not wait for this one.
void ComputeUnits::overlap(Workgroup& group)
{
    const std::vector<Operation>& operations = group.program->operations;
    if (!group.exhausted() || group.next == operations.size() || !operations[group.next].with_previous) return;
    group.operation = &operations[group.next++];
    group.offset = 0;
}

void ComputeUnits::issue_store(std::uint32_t index, Time delay)
{
    Workgroup& group = groups_[index];
    const std::uint32_t slot = group.ready[group.ready_head];
    Slot& piece = group.slots[slot];
    const Operation& move = *piece.move;
    const unsigned number = piece.next_store++;
    const bool last = piece.next_store == move.destinations;
    ++piece.stores;
    if (last) {
        group.ready_head = (group.ready_head + 1) % static_cast<std::uint32_t>(group.ready.size());
        --group.ready_count;
    }
    // The first loaded line becomes the last store, so that a copy moves no byte twice.
    Line* loaded = data_on_ && move.sources > 0 ? group.loaded(slot, 0) : nullptr;
    Line& line = last && loaded != nullptr ? *loaded : pool_.take();
    if (data_on_ && &line != loaded) {
        if (loaded != nullptr) {
            std::memcpy(line.data(), loaded->data(), piece.size);
        } else {
            std::memset(line.data(), 0, piece.size);
        }
    }
    line.begin(LineOp::write, group.operand(move, move.sources + number) + piece.offset, piece.size);
    send(line, index, slot, 0, delay);
}

void ComputeUnits::issue_flag(std::uint32_t index, Time delay)
{
    Workgroup& group = groups_[index];
    const Operation& operation = *group.operation;
    group.to_issue = false;
    Line& line = pool_.take();
    if (operation.kind == Operation::Kind::signal) {
        line.begin(LineOp::add, operation.address, 8);
        line.set_operand(1);
        line.flags = LineHeader::control_flag;
        ++group.posted;
        ++signals_;
        progress_.busy();
        send(line, index, 0, 0, delay);
        start_next(index);
        return;
    }
    const bool spin = static_cast<WaitPolicy>(spec_.wait_policy) == WaitPolicy::spin;
    line.begin(spin ? LineOp::read : LineOp::await, operation.address, 8);
    line.set_operand(operation.value);
    line.flags = LineHeader::control_flag | (spin ? LineHeader::poll_flag : 0);
    set_cause(group, StallCause::flag);
    group.polled_at = agenda().now();
    ++polls_;
    if (!group.waiting) {
        group.waiting = true;
        if (spin) progress_.enter_spin();
        progress_.quiet(agenda().now());
    }
    send(line, index, 0, 0, delay);
}

}  // namespace weft
