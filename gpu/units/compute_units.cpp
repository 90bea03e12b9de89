#include "gpu/units/compute_units.h"

#include <algorithm>

#include "gpu/network/line_tag.h"

namespace weft {

static_assert(1U << (OperandCode::bits - OperandCode::of(256).source_bits) == ComputeUnits::max_unroll,
    "a tag names every register set");
static_assert(1U << OperandCode::of(Program::max_sources).source_bits >= Program::max_sources,
    "a tag names every source of a move");

ComputeUnits::ComputeUnits(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
    const L1Spec& l1, std::uint32_t endpoint, LinePool& pool, Progress& progress, bool data_on, PathSelection spread,
    unsigned stripe_shift, std::size_t destinations, std::uint32_t grain)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), memory("memory", *this), spec_(spec),
      data_on_(data_on), progress_(progress), scheduler_(event_queue, *this), log_(event_queue),
      network_(memory, pool, scheduler_, log_, endpoint, PathChooser(endpoint, spread, stripe_shift, destinations)),
      cache_(l1, endpoint, data_on, scheduler_, network_),
      packets_(spec, data_on, scheduler_, network_, progress, log_),
      moves_(data_on, grain, scheduler_, network_, cache_, packets_), fences_(spec, scheduler_),
      polls_(spec, scheduler_, network_, progress), words_(scheduler_, network_, cache_, progress),
      flow_(spec, scheduler_, fences_, polls_, words_, log_, *this),
      groups_(spec.compute_units * spec.workgroups_per_unit)
{
    if (groups_.size() > 4096) SC_REPORT_FATAL("/weft/gpu", "compute_units x workgroups_per_unit exceeds 4096");
    units_.reserve(spec.compute_units);
    for (std::uint32_t number = 0; number < spec.compute_units; ++number) units_.emplace_back(number, spec);
    for (std::uint32_t index = 0; index < groups_.size(); ++index) {
        groups_[index].index = index;
        groups_[index].wake.kind = static_cast<std::uint8_t>(UnitItem::workgroup);
    }
    request_prefetch();
}

void ComputeUnits::launch(const Launch& launch)
{
    const std::uint32_t most = static_cast<std::uint32_t>(spec_.wavefronts_per_unit);
    Launch wanted = launch;
    wanted.wavefronts = std::clamp<std::uint32_t>(launch.wavefronts, 1, most);
    wanted.unroll = std::clamp<std::uint32_t>(launch.unroll, 1, OperandCode::of(launch.program->most_sources).sets());
    const std::uint32_t count = static_cast<std::uint32_t>(units_.size());
    for (std::uint32_t step = 0; step < count && queue_.empty(); ++step) {
        const std::uint32_t unit = (next_unit_ + step) % count;
        if (!units_[unit].fits(wanted.wavefronts)) continue;
        next_unit_ = (unit + 1) % count;
        held_.take(wanted.side, event_queue().now());
        place(wanted, units_[unit], event_queue().now());
        return;
    }
    queue_.push_back({wanted, event_queue().now(), held_.wait(wanted.side, event_queue().now())});
}

void ComputeUnits::place(const Launch& launch, ComputeUnit& unit, Time queued_since)
{
    if (!launch.background) ++workgroups_;
    progress_.busy();  // from here on: one in the queue changes nothing before others end
    const auto places = static_cast<std::uint32_t>(spec_.workgroups_per_unit);
    const std::uint32_t index = unit.number() * places + unit.take_place();
    Workgroup& group = groups_[index];
    group = Workgroup{};
    group.index = index;
    group.wake.kind = static_cast<std::uint8_t>(UnitItem::workgroup);
    group.program = launch.program;
    group.unit = &unit;
    group.wavefronts = launch.wavefronts;
    group.format = launch.program->format;
    group.operands = OperandCode::of(launch.program->most_sources);
    const auto bytes = static_cast<std::uint32_t>(spec_.lanes) * launch.vector_bytes;
    const bool packets = group.format != PacketFormat::none;
    group.instruction_bytes = packets ? instruction_data(group.format, bytes) : bytes;
    group.aligned = !packets && bytes >= line_bytes;
    group.stores_tell = packets;
    group.active = true;
    group.background = launch.background;
    group.first_transfer = transfers_;
    transfers_ += static_cast<std::uint32_t>(launch.program->operands.size());
    group.poll_flags = launch.poll_lanes;
    group.log = log_.on() ? launch.log : 0;
    group.list = launch.list;
    group.side = launch.side;
    group.results = launch.results;
    group.listener = launch.listener;
    group.token = launch.token;
    if (launch.acquires) CachedAccess::acquire(unit);
    start_wavefronts(group, launch, queued_since);
}

void ComputeUnits::start_wavefronts(Workgroup& group, const Launch& launch, Time queued_since)
{
    const Time now = event_queue().now();
    ComputeUnit& unit = *group.unit;
    const std::size_t data = group.register_begin(launch.unroll, 0);
    for (std::uint32_t number = 0; number < group.wavefronts; ++number) {
        Wavefront& wave = unit.take_context();
        if (number == 0) group.zero = &wave;
        group.contexts |= std::uint64_t{1} << wave.context;
        wave.begin(group, number);
        wave.sets.begin(launch.unroll, data_on_ ? data : 0);
        wave.stall.begin(now, now - queued_since, number == 0);
    }
    // A wavefront without work ends at once, and the last to end takes the workgroup with it.
    for (std::uint64_t left = group.contexts; left != 0; left &= left - 1)
        flow_.start_next(unit, unit.wave(static_cast<std::uint32_t>(__builtin_ctzll(left))));
}

void ComputeUnits::finish_if_done(Workgroup& group)
{
    if (!group.all_ended() || !group.open.none()) return;
    const Time now = event_queue().now();
    ComputeUnit& unit = *group.unit;
    StallAccount& stall = group.zero->stall;
    stall.set(StallCause::none, unit.in_flight(), now);
    StallTimes& spent = spent_[group.background ? 1 : 0];
    for (unsigned cause = 0; cause < stall_causes; ++cause) spent[cause] += stall.spent()[cause];
    if (group.log != 0) log_.end(group);
    group.active = false;
    const auto places = static_cast<std::uint32_t>(spec_.workgroups_per_unit);
    unit.release(group.index - unit.number() * places, group.contexts);
    held_.give_back(group.side, now);
    WorkgroupListener* listener = group.listener;
    const std::uint64_t token = group.token;
    while (!queue_.empty() && unit.fits(queue_.front().launch.wavefronts)) {
        const Queued queued = queue_.front();
        queue_.pop_front();
        held_.begin(queued.launch.side, queued.waited, now);
        place(queued.launch, unit, queued.since);
    }
    if (listener != nullptr) listener->on_workgroup_done(token);
    progress_.quiet(now);
}

Time ComputeUnits::on_response(unsigned, Line& line, Time delay)
{
    scheduler_.at(event_queue().now() + delay, line, UnitItem::leaving);
    return 0;
}

void ComputeUnits::prefetch(const ScheduledItem& item) const
{
    if (item.kind >= static_cast<std::uint8_t>(UnitItem::unit)) return;
    const LineTag tag = LineTag::of(Line::of(item).tag);
    if (tag.use != LineUse::fetch) units_[tag.unit].prefetch(tag.context);
}

void ComputeUnits::run(ScheduledItem& item)
{
    scheduler_.begin_instant();
    switch (static_cast<UnitItem>(item.kind)) {
    case UnitItem::unit: scheduler_.touch(units_[item.input]); break;
    case UnitItem::workgroup: flow_.wake(groups_[item.input]); break;
    case UnitItem::packets: {
        Line& line = Line::of(item);
        packets_.poll(line, units_[unit_of_tag(line.tag)]);
        break;
    }
    case UnitItem::leaving:
    case UnitItem::entering:
    case UnitItem::through:
        if (network_.try_arrive(Line::of(item))) respond(Line::of(item));
        break;
    }
    request_arbitration();
}

void ComputeUnits::arbitrate()
{
    scheduler_.end_instant([this](ComputeUnit& unit) { serve(unit); });
}

void ComputeUnits::serve(ComputeUnit& unit)
{
    if (!unit.can_issue()) return;
    const Time now = event_queue().now();
    if (unit.free_at() <= now) {
        Wavefront& wave = unit.take_turn();
        wave.stall.set(StallCause::none, unit.in_flight(), now);
        if (wave.to_issue) {
            flow_.issue(unit, wave);
        } else {
            moves_.issue(unit, wave);
        }
        flow_.advance(unit, wave);
        wave.stall.issues_until(unit.free_at(), now);
        if (!unit.can_issue()) return;
    }
    scheduler_.at(std::max(now, unit.free_at()), unit);
}

void ComputeUnits::respond(Line& line)
{
    const LineTag tag = LineTag::of(line.tag);
    ComputeUnit& unit = units_[tag.unit];
    const bool of_wavefront = tag.use != LineUse::fetch || tag.epoch != 0;
    if (!of_wavefront) {
        cache_.fill(line, unit, [this](Line& load) { respond(load); });
        return;
    }
    if (line.traced()) log_.respond(line, unit);
    unit.in_flight().remove(event_queue().now(), line.lines());
    Wavefront& wave = unit.wave(tag.context);
    Workgroup& group = *wave.group;
    switch (tag.use) {
    case LineUse::load:
        progress_.changed();
        if (moves_.loaded(wave, line)) flow_.advance(unit, wave);
        break;
    case LineUse::store:
        progress_.changed();
        group.open.end_store(network_.is_near(line), tag.epoch);
        network_.give(line);
        flow_.acknowledged(group);
        break;
    case LineUse::word: flow_.word_responded(group, tag.code, line); break;
    case LineUse::fetch: {
        const unsigned place = group.operands.set(tag.code);
        if (!packets_.loaded(unit, wave, place, line)) break;
        progress_.changed();
        moves_.complete(wave, place);
        flow_.advance(unit, wave);
        break;
    }
    }
    if (unit.any_ready()) scheduler_.touch(unit);
}

}  // namespace weft
