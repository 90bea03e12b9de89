// What wavefronts do beside moving data: barriers, fences, flags, words, computing.
#include <algorithm>

#include "gpu/compute_units.h"
#include "gpu/line_tag.h"

namespace weft {

void ComputeUnits::start_next(std::uint32_t number, std::uint32_t context)
{
    while (start(number, context)) {
    }
    update(number, context);
}

// Begins the wavefront's next operation. True when it is over already.
bool ComputeUnits::start(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    Workgroup& group = groups_[wave.group];
    if (wave.number == 0 && wave.operation != nullptr && group.repeat < wave.operation->more()) {
        ++group.repeat;
    } else if (wave.next == group.program->operations.size()) {
        end_wave(number, wave);
        return false;
    } else {
        wave.operation = &group.program->operations[wave.next++];
        if (wave.number == 0) group.repeat = 0;
    }
    if (wave.number == 0 && wave.operation->kind == Operation::Kind::wait) begin_wait(group, wave);
    if (group.log != 0 && wave.number == 0) log_operation(wave.group, wave.operation);
    const Operation& operation = *wave.operation;
    if (operation.kind == Operation::Kind::move) {
        wave.instruction = wave.number;
        pass_on(group, wave);
        return !has_instruction(group, wave);
    }
    if (operation.kind == Operation::Kind::barrier) return arrive(number, wave);
    if (wave.number != 0) return true;
    const Time now = event_queue().now();
    switch (operation.kind) {
    case Operation::Kind::move:
    case Operation::Kind::barrier: break;
    case Operation::Kind::fence:
        begin_fence(group, operation.scope);
        if (!group.fencing && operation.scope != Scope::unit) acquire(number);
        return !group.fencing;
    case Operation::Kind::signal:
    case Operation::Kind::request:
        begin_fence(group, operation.scope);
        wave.to_issue = !group.fencing;
        break;
    case Operation::Kind::chase:
        group.chased = operation.address;
        group.chase_left = operation.value;
        wave.to_issue = true;
        break;
    case Operation::Kind::wait:
        group.interval = spec_.spin_interval;
        group.arm = false;
        look(group, wave);
        break;
    case Operation::Kind::load:
    case Operation::Kind::store:
    case Operation::Kind::atomic: wave.to_issue = true; break;
    case Operation::Kind::bulk:
        wave.to_issue = group.bulk < bulk_->limit();
        if (!wave.to_issue) set_cause(unit, wave, StallCause::fence);
        break;
    case Operation::Kind::bulk_wait:
        if (group.bulk == 0) return true;
        set_cause(unit, wave, StallCause::fence);
        break;
    case Operation::Kind::compute:
        set_cause(unit, wave, StallCause::compute);
        event_queue().schedule(group.wake, *this, now + operation.value, wave.group);
        break;
    case Operation::Kind::flops: {
        __extension__ typedef unsigned __int128 Wide;
        const Wide rate = spec_.peak_flops / spec_.compute_units;
        const auto time = static_cast<Time>((Wide{operation.value} * 1'000'000'000'000U + rate - 1) / rate);
        unit.math_free = std::max(unit.math_free, now) + time;
        set_cause(unit, wave, StallCause::compute);
        event_queue().schedule(group.wake, *this, unit.math_free, wave.group);
        break;
    }
    }
    return false;
}

// How many waits from the wavefront's present one on are looked at together: as many as follow one another, of different flags.
void ComputeUnits::begin_wait(Workgroup& group, const Wavefront& wave)
{
    const std::vector<Operation>& operations = group.program->operations;
    std::array<std::uint64_t, max_poll_lanes> flags;
    std::size_t place = wave.next - 1U;
    std::uint32_t repeat = group.repeat;
    std::uint32_t lanes = 0;
    while (lanes < group.poll_lanes && place < operations.size()) {
        const Operation& operation = operations[place];
        if (operation.kind != Operation::Kind::wait) break;
        const std::uint64_t flag = operation.address_of(repeat);
        if (std::find(flags.begin(), flags.begin() + lanes, flag) != flags.begin() + lanes) break;
        flags[lanes++] = flag;
        if (repeat++ == operation.repeats) {
            ++place;
            repeat = 0;
        }
    }
    group.lanes = lanes;
    group.missing = static_cast<std::uint32_t>((std::uint64_t{1} << group.lanes) - 1);
    group.to_look = group.looking = 0;
}

ComputeUnits::Word ComputeUnits::word_at(const Workgroup& group, const Wavefront& wave, std::uint32_t lane)
{
    const Operation* operation = wave.operation;
    std::uint32_t repeat = group.repeat + lane;
    while (repeat > operation->more()) {
        repeat -= operation->more() + 1;
        ++operation;
    }
    return {operation->address_of(repeat), operation->value, operation->label_of(repeat)};
}

// Past `count` words, the present one not among them.
void ComputeUnits::skip_words(Workgroup& group, Wavefront& wave, std::uint32_t count)
{
    group.repeat += count;
    while (group.repeat > wave.operation->more()) {
        group.repeat -= wave.operation->more() + 1;
        wave.operation = &group.program->operations[wave.next++];
    }
}

// A line for every flag that is still missing: one look.
void ComputeUnits::look(Workgroup& group, Wavefront& wave)
{
    group.to_look = group.missing;
    group.polled_at = never_polled;
    wave.to_issue = true;
}

bool ComputeUnits::arrive(std::uint32_t number, Wavefront& wave)
{
    Workgroup& group = groups_[wave.group];
    if (++group.at_barrier == group.wavefronts && spec_.barrier_latency == 0) {
        leave_barrier(group);
        return true;
    }
    wave.at_barrier = true;
    set_cause(units_[number], wave, StallCause::barrier);
    if (group.at_barrier == group.wavefronts)
        event_queue().schedule(group.wake, *this, event_queue().now() + spec_.barrier_latency, wave.group);
    return false;
}

void ComputeUnits::leave_barrier(Workgroup& group)
{
    group.at_barrier = 0;
    Unit& unit = units_[group.unit];
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
        const auto context = static_cast<std::uint32_t>(__builtin_ctzll(left));
        if (!unit.waves[context].at_barrier) continue;
        unit.waves[context].at_barrier = false;
        start_next(group.unit, context);
    }
}

void ComputeUnits::begin_fence(Workgroup& group, Scope scope)
{
    ++fences_;
    group.fence = scope;
    if (scope != Scope::unit) group.near.begin_fence();
    if (scope == Scope::system) group.far.begin_fence();
    group.fencing = !fence_done(group);
    if (!group.fencing && spec_.fence_latency > 0) end_fence_later(group);
    if (group.fencing) set_cause(units_[group.unit], units_[group.unit].waves[group.zero], StallCause::fence);
}

bool ComputeUnits::fence_done(const Workgroup& group) const
{
    if (group.reads > 0) return false;
    if (group.fence == Scope::unit) return true;
    return group.near.fenced() && (group.fence == Scope::device || group.far.fenced());
}

// A fence of system scope takes time of its own once everything is acknowledged.
void ComputeUnits::end_fence_later(Workgroup& group)
{
    if (group.fence != Scope::system || group.wake.scheduled) return;
    group.fencing = true;
    event_queue().schedule(group.wake, *this, event_queue().now() + spec_.fence_latency,
        static_cast<std::uint32_t>(&group - groups_.data()));
}

void ComputeUnits::fence_over(Workgroup& group)
{
    group.fencing = false;
    Wavefront& wave = units_[group.unit].waves[group.zero];
    if (wave.operation->kind != Operation::Kind::fence) {  // what stands behind one
        wave.to_issue = true;
        update(group.unit, group.zero);
    } else {
        if (group.fence != Scope::unit) acquire(group.unit);
        go_on(group);
    }
}

void ComputeUnits::store_answered(std::uint32_t index)
{
    Workgroup& group = groups_[index];
    if (group.fencing && fence_done(group)) {
        if (group.fence == Scope::system && spec_.fence_latency > 0) {
            end_fence_later(group);
        } else {
            fence_over(group);
        }
    } else if (group.ended == group.wavefronts) {
        finish_if_done(index);
    }
}

void ComputeUnits::issue_word(std::uint32_t number, std::uint32_t context)
{
    Unit& unit = units_[number];
    Wavefront& wave = unit.waves[context];
    Workgroup& group = groups_[wave.group];
    const Operation& operation = *wave.operation;
    wave.to_issue = false;
    if (operation.kind == Operation::Kind::wait) {
        issue_poll(group, wave);
        return;
    }
    const std::uint64_t at =
        operation.kind == Operation::Kind::signal ? operation.address_of(group.repeat) : operation.address;
    const Time delay = slot(unit, at, true);
    if (operation.kind == Operation::Kind::signal) {
        issue_signal(group, at, delay);
    } else if (operation.kind == Operation::Kind::bulk) {
        ++group.bulk;
        bulk_->copy(number, group.program->operands.data() + operation.first_operand, operation, wave.group, delay);
    } else if (operation.kind == Operation::Kind::request) {
        bulk_->request(group.list, operation.value, delay);
    } else {
        Line& line = pool_.take();
        LineTag tag{number, context, LineUse::store};
        const bool chase = operation.kind == Operation::Kind::chase;
        const bool answered = chase || operation.kind == Operation::Kind::load || operation.returns;
        const LineOp op = operation.returns            ? LineOp::fetch
            : answered                                 ? LineOp::read
            : operation.kind == Operation::Kind::store ? LineOp::write
                                                       : LineOp::atomic;
        const LineIssue issue = line.begin(op, chase ? group.chased : operation.address, 8);
        if (answered) {
            tag.use = LineUse::word;
            tag.code = chase ? chase_result : operation.result;
            ++group.reads;
        } else {
            StoreCount& stores = stores_to(group, line);
            ++stores.open[stores.epoch];
            tag.epoch = stores.epoch;
        }
        line.set_operand(operation.value);
        if (operation.atomic == AtomicOp::compare_swap) line.set_comparand(operation.compare);
        issue.function(operation.atomic).tag(tag.packed());
        if (line.op == LineOp::read && cacheable(operation.scope, line.address)) {
            load_through(issue, number, delay);
        } else {
            if (unit.l1 != nullptr && line.op == LineOp::write) store_through(line, number);
            if (unit.l1 != nullptr && line.op != LineOp::write && line.op != LineOp::read) unit.l1->drop(line.address);
            send(issue, number, delay);
        }
        if (chase) {
            set_cause(unit, wave, StallCause::loads);
            return;
        }
    }
    go_on(group);
}

void ComputeUnits::issue_signal(Workgroup& group, std::uint64_t flag, Time delay)
{
    Line& line = pool_.take();
    const LineIssue issue = line.begin(LineOp::atomic, flag, 8);
    issue.flag(LineHeader::control_flag).tag(LineTag{group.unit, group.zero, LineUse::word}.packed());
    line.set_operand(1);
    ++group.posted;
    ++signals_;
    progress_.busy();
    send(issue, group.unit, delay);
}

void ComputeUnits::issue_poll(Workgroup& group, Wavefront& wave)
{
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(group.to_look));
    const Word wait = word_at(group, wave, lane);
    const Time delay = slot(units_[group.unit], wait.address, true);
    group.to_look &= group.to_look - 1;
    ++group.looking;
    wave.to_issue = group.to_look != 0;
    const bool spin = static_cast<WaitPolicy>(spec_.wait_policy) != WaitPolicy::waiting_atomic;
    Line& line = pool_.take();
    const LineOp op = !spin ? LineOp::await : group.arm ? LineOp::monitor : LineOp::read;
    const LineIssue issue = line.begin(op, wait.address, 8);
    issue.flag(LineHeader::control_flag | LineHeader::poll_flag)
        .tag(LineTag{group.unit, group.zero, LineUse::word, lane}.packed());
    line.set_operand(wait.value);
    set_cause(units_[group.unit], wave, StallCause::flag);
    if (group.polled_at == never_polled) group.polled_at = event_queue().now();
    ++polls_;
    if (!group.waiting) {
        group.waiting = true;
        if (spin) progress_.enter_spin();
        progress_.quiet(event_queue().now());
    }
    send(issue, group.unit, delay);
}

void ComputeUnits::word_answered(std::uint32_t number, Line& line)
{
    const LineTag tag = LineTag::of(line.tag);
    const std::uint32_t index = units_[number].waves[tag.context].group;
    Workgroup& group = groups_[index];
    if ((line.flags & LineHeader::control_flag) == 0) {
        const std::uint64_t value = line.operand();
        pool_.give(line);
        --group.reads;
        if (tag.code == chase_result) {
            group.chased = value;
            if (--group.chase_left == 0) {
                go_on(group);
            } else {
                units_[number].waves[group.zero].to_issue = true;
                update(number, group.zero);
            }
            return;
        }
        if (group.results != nullptr) group.results[tag.code] = value;
        store_answered(index);
        return;
    }
    const LineOp op = line.op;
    const std::uint64_t value = line.operand();
    pool_.give(line);
    if (op == LineOp::atomic) {
        progress_.quiet(event_queue().now());
        --group.posted;
        store_answered(index);
    } else {
        flag_answered(index, tag.code, op, value);
    }
}

// A look is over when all of its lines are answered, as the lanes of a wavefront stay together.
void ComputeUnits::flag_answered(std::uint32_t index, std::uint32_t lane, LineOp op, std::uint64_t value)
{
    Workgroup& group = groups_[index];
    const Time now = event_queue().now();
    Wavefront& wave = units_[group.unit].waves[group.zero];
    if (op == LineOp::await || (op == LineOp::read && value >= word_at(group, wave, lane).value))
        group.missing &= ~(1U << lane);
    if (--group.looking > 0 || group.to_look != 0) return;
    if (op == LineOp::monitor) {  // something has changed, or time is over: look
        group.arm = false;
        look(group, wave);
        update(group.unit, group.zero);
        return;
    }
    if (group.missing == 0) {
        progress_.busy();
        group.waiting = false;
        if (op == LineOp::read) progress_.leave_spin();
        acquire(group.unit);
        skip_words(group, wave, group.lanes - 1);
        go_on(group);
        return;
    }
    if (progress_.looked_in_vain(group.polled_at, group.vain_epoch)) {
        cannot_progress_ = true;
        event_queue().stop();
        return;
    }
    if (static_cast<WaitPolicy>(spec_.wait_policy) == WaitPolicy::monitor) {
        group.arm = true;
        look(group, wave);
        update(group.unit, group.zero);
        return;
    }
    event_queue().schedule(group.wake, *this, now + group.interval, index);
    if (static_cast<WaitPolicy>(spec_.wait_policy) == WaitPolicy::backoff)
        group.interval = std::min<Time>(2 * group.interval, std::max<Time>(spec_.backoff_limit, spec_.spin_interval));
}

void ComputeUnits::on_bulk_done(std::uint32_t index)
{
    Workgroup& group = groups_[index];
    Wavefront& wave = units_[group.unit].waves[group.zero];
    --group.bulk;
    const Operation::Kind kind = wave.operation != nullptr ? wave.operation->kind : Operation::Kind::move;
    if (kind == Operation::Kind::bulk_wait) {
        if (group.bulk > 0) return;
        acquire(group.unit);  // its stores went past the L1
        go_on(group);
    } else if (kind == Operation::Kind::bulk && !wave.to_issue) {
        wave.to_issue = true;
        update(group.unit, group.zero);
    } else if (group.ended == group.wavefronts) {
        finish_if_done(index);
    }
}

void ComputeUnits::workgroup_woke(std::uint32_t index)
{
    Workgroup& group = groups_[index];
    Wavefront& wave = units_[group.unit].waves[group.zero];
    if (group.at_barrier == group.wavefronts) {
        leave_barrier(group);
    } else if (wave.operation->kind == Operation::Kind::wait) {
        look(group, wave);
        update(group.unit, group.zero);
    } else if (group.fencing) {
        fence_over(group);
    } else {
        go_on(group);
    }
}

}  // namespace weft
