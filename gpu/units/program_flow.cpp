#include "gpu/units/program_flow.h"

#include <algorithm>

namespace weft {

void ProgramFlow::start_next(ComputeUnit& unit, Wavefront& wave)
{
    while (start(unit, wave)) {
    }
    update(unit, wave);
}

// To be called when something about the wavefront has changed.
void ProgramFlow::update(ComputeUnit& unit, Wavefront& wave)
{
    const bool ready = wave.can_issue();
    unit.set_ready(wave, ready);
    if (ready) {
        stall(unit, wave, StallCause::issue);
        scheduler_.touch(unit);
    } else if (wave.at(Operation::Kind::move)) {
        stall(unit, wave, wave.has_instruction() ? StallCause::registers : StallCause::loads);
    }
}

// Wavefront zero has a request to issue.
void ProgramFlow::issue_zero(Workgroup& group)
{
    group.zero->to_issue = true;
    update(*group.unit, *group.zero);
}

// Begins the wavefront's next operation. True when it is over already.
bool ProgramFlow::start(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    if (!wave.begin_next()) {
        end(unit, wave);
        return false;
    }
    if (wave.number == 0 && wave.at(Operation::Kind::wait))
        group.wait.begin(group.program->operations, wave.next - 1U, wave.repeat, group.poll_flags);
    if (group.log != 0 && wave.number == 0) log_.begin(group, wave.operation);
    if (wave.at(Operation::Kind::move)) {
        wave.instruction = wave.first_instruction();
        wave.pass_on();
        return !wave.has_instruction();
    }
    if (wave.at(Operation::Kind::barrier)) return arrive(unit, wave);
    return wave.number != 0 || start_of_zero(unit, wave);
}

bool ProgramFlow::start_of_zero(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    const Operation& operation = *wave.operation;
    const Time now = scheduler_.now();
    switch (operation.kind) {
    case Operation::Kind::move:
    case Operation::Kind::barrier: break;
    case Operation::Kind::fence:
        if (!fences_.begin(group, operation.scope)) return false;
        if (operation.scope != Scope::unit) CachedAccess::acquire(unit);
        return true;
    case Operation::Kind::signal:
    case Operation::Kind::request: wave.to_issue = fences_.begin(group, operation.scope); break;
    case Operation::Kind::chase:
        group.chase = {operation.address, operation.value};
        wave.to_issue = true;
        break;
    case Operation::Kind::wait: polls_.start(group); break;
    case Operation::Kind::load:
    case Operation::Kind::store:
    case Operation::Kind::atomic: wave.to_issue = true; break;
    case Operation::Kind::bulk:
        wave.to_issue = group.open.bulk_copies() < bulk_->limit();
        if (!wave.to_issue) stall(unit, wave, StallCause::fence);
        break;
    case Operation::Kind::bulk_wait:
        if (group.open.bulk_copies() == 0) return true;
        stall(unit, wave, StallCause::fence);
        break;
    case Operation::Kind::compute: compute(unit, wave, now + operation.value); break;
    case Operation::Kind::flops: compute(unit, wave, unit.book_math(flops_time(operation.value), now)); break;
    }
    return false;
}

void ProgramFlow::compute(ComputeUnit& unit, Wavefront& wave, Time end)
{
    stall(unit, wave, StallCause::compute);
    scheduler_.at(end, *wave.group);
}

Time ProgramFlow::flops_time(std::uint64_t operations) const
{
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<Time>((Wide{operations} * 1'000'000'000'000U + unit_flops_ - 1) / unit_flops_);
}

void ProgramFlow::end(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    wave.operation = nullptr;
    stall(unit, wave, StallCause::fence);  // until all is acknowledged
    if (group.log != 0 && wave.number == 0) log_.begin(group, nullptr);
    ++group.ended;
    if (group.all_ended()) group.drains = true;
    owner_.finish_if_done(group);
}

void ProgramFlow::drain(Workgroup& group)
{
    if (group.all_ended()) {
        owner_.finish_if_done(group);
    } else {
        polls_.acknowledged(group);
    }
}

bool ProgramFlow::arrive(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    ++group.at_barrier;
    if (group.all_at_barrier() && barrier_latency_ == 0) {
        leave_barrier(group);
        return true;
    }
    wave.at_barrier = true;
    stall(unit, wave, StallCause::barrier);
    if (group.all_at_barrier()) scheduler_.at(scheduler_.now() + barrier_latency_, group);
    return false;
}

void ProgramFlow::leave_barrier(Workgroup& group)
{
    group.at_barrier = 0;
    ComputeUnit& unit = *group.unit;
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        Wavefront& wave = unit.wave(static_cast<std::uint32_t>(__builtin_ctzll(left)));
        if (!wave.at_barrier) continue;
        wave.at_barrier = false;
        start_next(unit, wave);
    }
}

void ProgramFlow::fence_over(Workgroup& group)
{
    group.fence.open = false;
    if (!group.zero->at(Operation::Kind::fence)) {  // a signal or a request is behind it
        issue_zero(group);
        return;
    }
    if (group.fence.scope != Scope::unit) CachedAccess::acquire(*group.unit);
    go_on(group);
}

void ProgramFlow::wait_over(Workgroup& group)
{
    CachedAccess::acquire(*group.unit);
    group.zero->skip_words(group.wait.flags() - 1);
    go_on(group);
}

void ProgramFlow::issue(ComputeUnit& unit, Wavefront& wave)
{
    Workgroup& group = *wave.group;
    const Operation& operation = *wave.operation;
    wave.to_issue = false;
    if (operation.kind == Operation::Kind::wait) {
        polls_.issue(unit, wave);
        return;
    }
    const std::uint64_t address = operation.kind == Operation::Kind::signal ? wave.word().address : operation.address;
    const Time delay = unit.book(address, true, scheduler_.now());
    if (operation.kind == Operation::Kind::bulk) {
        group.open.begin_bulk();
        bulk_->copy(unit.number(), group.program->operands.data() + operation.first_operand, operation, group.index,
            delay);
    } else if (operation.kind == Operation::Kind::request) {
        bulk_->request(group.list, operation.value, delay);
    } else {
        words_.issue(unit, wave, delay);
        if (operation.kind == Operation::Kind::chase) return;
    }
    go_on(group);
}

void ProgramFlow::word_responded(Workgroup& group, std::uint32_t code, Line& line)
{
    const bool flag = line.asks(LineHeader::control_flag) && line.op != LineOp::atomic;
    if (!flag) {
        switch (words_.respond(group, code, line)) {
        case WordAccess::Outcome::performed: acknowledged(group); break;
        case WordAccess::Outcome::chases: issue_zero(group); break;
        case WordAccess::Outcome::chased: go_on(group); break;
        }
        return;
    }
    switch (polls_.respond(group, code, line)) {
    case FlagPolls::Outcome::waits: break;
    case FlagPolls::Outcome::polls: update(*group.unit, *group.zero); break;
    case FlagPolls::Outcome::ended: wait_over(group); break;
    }
}

void ProgramFlow::bulk_done(Workgroup& group)
{
    Wavefront& wave = *group.zero;
    group.open.end_bulk();
    if (wave.at(Operation::Kind::bulk_wait)) {
        if (group.open.bulk_copies() > 0) return;
        CachedAccess::acquire(*group.unit);  // its stores went past the L1
        go_on(group);
    } else if (wave.at(Operation::Kind::bulk) && !wave.to_issue) {
        issue_zero(group);
    } else if (group.all_ended()) {
        owner_.finish_if_done(group);
    }
}

void ProgramFlow::wake(Workgroup& group)
{
    if (group.all_at_barrier()) {
        leave_barrier(group);
    } else if (group.zero->at(Operation::Kind::wait)) {
        polls_.poll(group);
        update(*group.unit, *group.zero);
    } else if (group.fence.open) {
        fence_over(group);
    } else {
        go_on(group);
    }
}

}  // namespace weft
