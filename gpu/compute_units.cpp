#include "gpu/compute_units.h"

#include <algorithm>
#include <cstring>

namespace weft {

const char* name_of(StallCause cause)
{
    switch (cause) {
    case StallCause::none: return "busy";
    case StallCause::window: return "lines_in_flight";
    case StallCause::outstanding: return "unit_outstanding";
    case StallCause::issue: return "issue";
    case StallCause::drain: return "acknowledge";
    case StallCause::flag: return "flag";
    case StallCause::compute: return "compute";
    case StallCause::queued: return "queued";
    }
    return "?";
}

ComputeUnits::ComputeUnits(sc_core::sc_module_name name, Agenda& agenda, std::string path, const GpuSpec& spec,
    std::uint32_t endpoint, LinePool& pool, Progress& progress, bool data_on, SpreadMode spread,
    unsigned stripe_shift, std::size_t destinations)
    : sc_module(name), Station(agenda, std::move(path)), memory("memory", *this), spec_(spec), endpoint_(endpoint),
      places_(static_cast<std::uint32_t>(spec.workgroups_per_unit)), pool_(pool), progress_(progress),
      data_on_(data_on), spread_(spread), stripe_shift_(stripe_shift),
      turns_(spread == SpreadMode::round_robin ? destinations : 0, 0), units_(spec.compute_units), groups_(spec.compute_units * spec.workgroups_per_unit)
{
    if (groups_.size() > 4096)
        SC_REPORT_FATAL("/weft/gpu", "compute_units x workgroups_per_unit exceeds 4096");
    for (Unit& unit : units_) {
        unit.issue.set_rate(spec.clock);
        unit.wake.kind = unit_kind;
    }
    for (Workgroup& group : groups_) group.wake.kind = workgroup_kind;
    request_prepare();
}

void ComputeUnits::launch(const Launch& launch)
{
    for (std::uint32_t step = 0; step < units_.size(); ++step) {
        const std::uint32_t unit = (next_unit_ + step) % static_cast<std::uint32_t>(units_.size());
        if (units_[unit].resident >= places_) continue;
        next_unit_ = (unit + 1) % static_cast<std::uint32_t>(units_.size());
        place(launch, unit, agenda().now());
        return;
    }
    queue_.push_back({launch, agenda().now()});
}

void ComputeUnits::place(const Launch& launch, std::uint32_t unit, Time queued_since)
{
    const auto free_place = static_cast<std::uint32_t>(__builtin_ctzll(~units_[unit].active));
    units_[unit].active |= std::uint64_t{1} << free_place;
    const std::uint32_t index = unit * places_ + free_place;
    Workgroup& group = groups_[index];
    progress_.busy();  // from here on: one in the queue changes nothing before others end
    ++units_[unit].resident;
    ++workgroups_;
    group.active = true;
    group.program = launch.program;
    group.operation = nullptr;
    group.next = 0;
    group.in_flight = group.posted = 0;
    group.unit = unit;
    group.listener = launch.listener;
    group.token = launch.token;
    group.spent.fill(0);
    group.cause = StallCause::none;
    group.cause_since = agenda().now();
    group.spent[static_cast<unsigned>(StallCause::queued)] = group.cause_since - queued_since;
    const std::uint32_t window = std::clamp<std::uint32_t>(launch.lines_in_flight, 1, 4096);
    if (group.slots.size() != window) {
        group.slots.assign(window, Slot{});
        group.ready.assign(window, 0);
    }
    group.free_slots.clear();
    for (std::uint32_t slot = window; slot-- > 0;) group.free_slots.push_back(static_cast<std::uint16_t>(slot));
    group.ready_head = group.ready_count = 0;
    if (data_on_) group.held.assign(std::size_t{window} * launch.program->most_sources, nullptr);
    start_next(index);
}

void ComputeUnits::start_next(std::uint32_t index)
{
    Workgroup& group = groups_[index];
    if (group.next == group.program->operations.size()) {
        group.operation = nullptr;
        if (group.posted == 0) {
            finish(index);
        } else {
            set_cause(group, StallCause::drain);
        }
        return;
    }
    group.operation = &group.program->operations[group.next++];
    switch (group.operation->kind) {
    case Operation::Kind::move:
        group.offset = 0;
        group.piece_open = false;
        break;
    case Operation::Kind::signal:
    case Operation::Kind::wait: group.to_issue = true; break;
    case Operation::Kind::compute:
        set_cause(group, StallCause::compute);
        agenda().schedule(group.wake, *this, agenda().now() + group.operation->value, index);
        return;
    }
    set_cause(group, StallCause::none);
    touch(group.unit);
}

void ComputeUnits::finish(std::uint32_t index)
{
    Workgroup& group = groups_[index];
    set_cause(group, StallCause::none);
    for (unsigned cause = 0; cause < stall_causes; ++cause) spent_[cause] += group.spent[cause];
    group.active = false;
    units_[group.unit].active &= ~(std::uint64_t{1} << (index - group.unit * places_));
    --units_[group.unit].resident;
    WorkgroupListener* listener = group.listener;
    const std::uint64_t token = group.token;
    if (!queue_.empty()) {
        const Queued queued = queue_.front();
        queue_.pop_front();
        place(queued.launch, group.unit, queued.since);
    }
    if (listener != nullptr) listener->on_workgroup_done(token);
    progress_.quiet(agenda().now());
}

Time ComputeUnits::on_response(unsigned, Line& line, Time delay)
{
    line.kind = line_kind;
    agenda().schedule(line, *this, agenda().now() + delay, line.tag >> 20);
    return 0;
}

void ComputeUnits::touch(std::uint32_t unit)
{
    if (units_[unit].touched) return;
    units_[unit].touched = true;
    touched_.push_back(unit);
    request_settle();
    // A launch comes from outside: settle() needs an item of this station at this instant.
    if (!running_ && !units_[unit].wake.scheduled)
        agenda().schedule(units_[unit].wake, *this, std::max(agenda().now(), units_[unit].issue.free_at()),
            unit & 0xfffU);
}

void ComputeUnits::prepare(const AgendaItem& item) const
{
    if (item.kind != line_kind) return;
    const std::uint32_t tag = Line::of(item).tag;
    __builtin_prefetch(groups_[tag >> 20].slots.data() + (tag >> 8 & 0xfff), 1);
}

void ComputeUnits::run(AgendaItem& item)
{
    running_ = true;
    const std::uint32_t number = item.order & 0xfff;
    switch (item.kind) {
    case line_kind: answered(Line::of(item)); break;
    case unit_kind:
        touch(number);
        request_settle();
        break;
    default: {
        Workgroup& group = groups_[number];
        if (group.operation->kind == Operation::Kind::compute) {
            start_next(number);
        } else {
            group.to_issue = true;  // the next poll
            touch(group.unit);
        }
    }
    }
}

void ComputeUnits::settle()
{
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        units_[touched_[i]].touched = false;
        serve_unit(touched_[i]);
    }
    touched_.clear();
    running_ = false;
}

void ComputeUnits::answered(Line& line)
{
    const std::uint32_t index = line.tag >> 20;
    const std::uint32_t slot = line.tag >> 8 & 0xfff;
    Workgroup& group = groups_[index];
    --units_[group.unit].outstanding;
    touch(group.unit);
    if ((line.flags & LineHeader::control_flag) != 0) {
        flag_answered(index, line);
        pool_.give(line);
    } else if (line.op == LineOp::read) {
        loaded(index, line, slot, line.tag & 0xff);
    } else {
        pool_.give(line);
        Slot& piece = group.slots[slot];
        if (--piece.stores == 0 && piece.next_store == piece.move->destinations) release_slot(index, slot);
    }
}

void ComputeUnits::flag_answered(std::uint32_t index, const Line& line)
{
    Workgroup& group = groups_[index];
    const Time now = agenda().now();
    if (line.op == LineOp::add) {
        progress_.quiet(now);
        if (--group.posted == 0 && group.operation == nullptr) finish(index);
        return;
    }
    if (line.op == LineOp::await || line.operand() >= group.operation->value) {
        progress_.busy();
        group.waiting = false;
        if (line.op == LineOp::read) progress_.leave_spin();
        start_next(index);
        return;
    }
    if (progress_.looked_in_vain(group.polled_at, group.vain_epoch)) {
        cannot_progress_ = true;
        agenda().stop();
        return;
    }
    agenda().schedule(group.wake, *this, now + spec_.spin_interval, index);
}

void ComputeUnits::loaded(std::uint32_t index, Line& line, std::uint32_t slot, std::uint32_t source)
{
    Workgroup& group = groups_[index];
    Slot& piece = group.slots[slot];
    if (data_on_ && piece.move->destinations > 0) {
        group.loaded(slot, source) = &line;
    } else {
        pool_.give(line);
    }
    if (--piece.loads > 0 || (group.piece_open && group.loading == slot)) return;
    if (piece.move->destinations == 0) {
        release_slot(index, slot);
    } else {
        make_ready(group, slot);
    }
}

// All sources of a piece are there: combine them, in the order listed, and queue its stores.
void ComputeUnits::make_ready(Workgroup& group, std::uint32_t slot)
{
    const Slot& piece = group.slots[slot];
    const Operation& move = *piece.move;
    if (data_on_ && move.sources > 1) {
        Line** lines = &group.loaded(slot, 0);
        for (unsigned s = 1; s < move.sources; ++s) {
            reduce_elements(move.type, move.reduction, lines[0]->data(), lines[s]->data(), piece.size);
            pool_.give(*lines[s]);
            lines[s] = nullptr;
        }
    }
    const std::uint32_t capacity = static_cast<std::uint32_t>(group.ready.size());
    group.ready[(group.ready_head + group.ready_count++) % capacity] = static_cast<std::uint16_t>(slot);
}

void ComputeUnits::release_slot(std::uint32_t index, std::uint32_t slot)
{
    Workgroup& group = groups_[index];
    group.free_slots.push_back(static_cast<std::uint16_t>(slot));
    if (--group.in_flight == 0 && group.exhausted()) start_next(index);
}

std::array<Time, stall_causes> ComputeUnits::stalls() const
{
    std::array<Time, stall_causes> out = spent_;
    for (const Workgroup& group : groups_)
        if (group.active)
            for (unsigned cause = 0; cause < stall_causes; ++cause) out[cause] += group.spent[cause];
    return out;
}

std::vector<ComputeUnits::Blocked> ComputeUnits::blocked() const
{
    std::vector<Blocked> out;
    for (const Workgroup& group : groups_) {
        if (!group.active) continue;
        Blocked entry{group.token, 0, group.next, Operation::Kind::move, 0, 0, group.in_flight};
        if (group.operation != nullptr) {
            entry.label = group.operation->label;
            entry.operation = group.next - 1;
            entry.kind = group.operation->kind;
            entry.flag = group.operation->address;
            entry.value = group.operation->value;
        }
        out.push_back(entry);
    }
    return out;
}

std::vector<Statistic> ComputeUnits::statistics() const
{
    std::vector<Statistic> out{
        {"lines", static_cast<double>(lines_), "lines", "lines issued"},
        {"flag_reads", static_cast<double>(polls_), "lines", "polls and awaits of flags among them"},
        {"signals", static_cast<double>(signals_), "lines", "flag additions among them"}};
    const std::array<Time, stall_causes> time = stalls();
    for (unsigned cause = 0; cause < stall_causes; ++cause)
        out.push_back({std::string("time_") + name_of(static_cast<StallCause>(cause)), static_cast<double>(time[cause]),
            "ps", "time of workgroups, summed"});
    return out;
}

void ComputeUnits::reset_statistics()
{
    lines_ = polls_ = signals_ = 0;
    spent_.fill(0);
}

}  // namespace weft
