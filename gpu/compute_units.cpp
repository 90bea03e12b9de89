#include "gpu/compute_units.h"

#include <algorithm>
#include <cstring>

#include "gpu/line_tag.h"
#include "gpu/gpu_statistics.h"

namespace weft {

static_assert(1U << (OperandCode::bits - OperandCode::of(256).source_bits) == ComputeUnits::max_unroll,
    "a tag names every register set");
static_assert(1U << OperandCode::of(Program::max_sources).source_bits >= Program::max_sources,
    "a tag names every source of a move");

const char* name_of(StallCause cause)
{
    switch (cause) {
    case StallCause::none: return "busy";
    case StallCause::issue: return "issue";
    case StallCause::registers: return "registers";
    case StallCause::loads: return "loads";
    case StallCause::outstanding: return "unit_outstanding";
    case StallCause::fence: return "acknowledge";
    case StallCause::flag: return "flag";
    case StallCause::barrier: return "barrier";
    case StallCause::compute: return "compute";
    case StallCause::queued: return "queued";
    }
    return "?";
}

ComputeUnits::ComputeUnits(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
    const L1Spec& l1, std::uint32_t endpoint, LinePool& pool, Progress& progress, bool data_on, SpreadMode spread,
    unsigned stripe_shift, std::size_t destinations)
    : sc_module(name), TimedComponent(event_queue, std::move(path)), memory("memory", *this), spec_(spec), l1_spec_(l1),
      endpoint_(endpoint), places_(static_cast<std::uint32_t>(spec.workgroups_per_unit)), pool_(pool),
      progress_(progress), data_on_(data_on), paths_(endpoint, spread, stripe_shift, destinations),
      units_(spec.compute_units), groups_(spec.compute_units * spec.workgroups_per_unit)
{
    if (groups_.size() > 4096) SC_REPORT_FATAL("/weft/gpu", "compute_units x workgroups_per_unit exceeds 4096");
    for (Unit& unit : units_) {
        unit.issue.set_rate(spec.clock);
        unit.wake.kind = unit_kind;
        unit.free = spec.wavefronts_per_unit >= contexts ? ~std::uint64_t{0}
                                                         : (std::uint64_t{1} << spec.wavefronts_per_unit) - 1;
    }
    for (Workgroup& group : groups_) group.wake.kind = workgroup_kind;
    request_prefetch();
}

bool ComputeUnits::fits(const Unit& unit, const Launch& launch) const
{
    return unit.resident < places_ && static_cast<std::uint32_t>(__builtin_popcountll(unit.free)) >= launch.wavefronts;
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
        if (!fits(units_[unit], wanted)) continue;
        next_unit_ = (unit + 1) % count;
        place(wanted, unit, event_queue().now());
        return;
    }
    queue_.push_back({wanted, event_queue().now()});
}

void ComputeUnits::place(const Launch& launch, std::uint32_t number, Time queued_since)
{
    Unit& unit = units_[number];
    const auto place = static_cast<std::uint32_t>(__builtin_ctzll(~unit.places));
    unit.places |= std::uint64_t{1} << place;
    ++unit.resident;
    ++workgroups_;
    progress_.busy();  // from here on: one in the queue changes nothing before others end
    const std::uint32_t index = number * places_ + place;
    Workgroup& group = groups_[index];
    group.program = launch.program;
    group.unit = number;
    group.wavefronts = launch.wavefronts;
    const auto lane_bytes = static_cast<std::uint32_t>(spec_.lanes) * launch.vector_bytes;
    group.format = launch.program->format;
    group.operands = OperandCode::of(launch.program->most_sources);
    group.instruction_bytes =
        group.format == PacketFormat::none ? lane_bytes : instruction_data(group.format, lane_bytes);
    group.aligned = group.format == PacketFormat::none && lane_bytes >= line_bytes;
    group.contexts = 0;
    group.at_barrier = group.ended = group.posted = group.reads = group.bulk = group.repeat = 0;
    group.active = true;
    group.waiting = group.fencing = group.lacks_packets = false;
    group.near = group.far = StoreCount{};
    group.results = launch.results;
    group.listener = launch.listener;
    group.token = launch.token;
    group.log = log_ != nullptr ? launch.log : 0;
    group.list = launch.list;
    group.poll_lanes = launch.poll_lanes;
    group.first_transfer = transfers_;
    transfers_ += static_cast<std::uint32_t>(launch.program->operands.size());
    if (launch.acquires) acquire(number);
    for (std::uint32_t i = 0; i < launch.wavefronts; ++i) {
        const auto context = static_cast<std::uint32_t>(__builtin_ctzll(unit.free));
        unit.free &= unit.free - 1;
        group.contexts |= std::uint64_t{1} << context;
        if (i == 0) group.zero = context;
        Wavefront& wave = unit.waves.make(context);
        wave.number = static_cast<std::uint8_t>(i);
        wave.group = index;
        prepare_wave(group, wave, launch, queued_since);
    }
    // A wavefront without work ends at once, and the last to end takes the workgroup with it.
    std::uint64_t left = group.contexts;
    for (; left != 0; left &= left - 1) start_next(number, static_cast<std::uint32_t>(__builtin_ctzll(left)));
}

void ComputeUnits::prepare_wave(const Workgroup& group, Wavefront& wave, const Launch& launch, Time queued_since)
{
    const Time now = event_queue().now();
    wave.operation = nullptr;
    wave.next = 0;
    wave.head = wave.count = 0;
    wave.load = wave.store = Cursor{};
    wave.to_issue = false;
    wave.cause = StallCause::none;
    wave.cause_since = now;
    wave.spent.fill(0);
    wave.spent[static_cast<unsigned>(StallCause::queued)] = now - queued_since;
    if (wave.sets.size() != launch.unroll) wave.sets.resize(launch.unroll);
    if (data_on_) wave.data.resize(std::size_t{launch.unroll} * launch.program->most_sources * group.instruction_bytes);
}

void ComputeUnits::end_wave(std::uint32_t number, Wavefront& wave)
{
    Workgroup& group = groups_[wave.group];
    wave.operation = nullptr;
    set_cause(units_[number], wave, StallCause::fence);  // until all is acknowledged
    if (group.log != 0 && wave.number == 0) log_operation(wave.group, nullptr);
    ++group.ended;
    finish_if_done(wave.group);
}

void ComputeUnits::finish_if_done(std::uint32_t index)
{
    Workgroup& group = groups_[index];
    if (group.ended < group.wavefronts) return;
    if (group.posted + group.reads + group.bulk + group.near.total() + group.far.total() > 0) return;
    Unit& unit = units_[group.unit];
    Wavefront& zero = unit.waves[group.zero];
    set_cause(unit, zero, StallCause::none);
    for (unsigned cause = 0; cause < stall_causes; ++cause) spent_[cause] += zero.spent[cause];
    if (group.log != 0) log_end(index);
    group.active = false;
    unit.free |= group.contexts;
    unit.places &= ~(std::uint64_t{1} << (index - group.unit * places_));
    --unit.resident;
    WorkgroupListener* listener = group.listener;
    const std::uint64_t token = group.token;
    const std::uint32_t number = group.unit;
    while (!queue_.empty() && fits(unit, queue_.front().launch)) {
        const Queued queued = queue_.front();
        queue_.pop_front();
        place(queued.launch, number, queued.since);
    }
    if (listener != nullptr) listener->on_workgroup_done(token);
    progress_.quiet(event_queue().now());
}

void ComputeUnits::set_cause(const Unit& unit, Wavefront& wave, StallCause cause)
{
    if (wave.cause == cause || wave.number != 0) return;
    const Time now = event_queue().now();
    const Time full_now = unit.full + (full(unit) ? now - unit.full_since : 0);
    Time span = 0;
    if (now < wave.cause_since) {  // its instruction was thought to issue until then
        wave.spent[static_cast<unsigned>(StallCause::none)] -= wave.cause_since - now;
    } else {
        span = now - wave.cause_since;
    }
    if (wave.cause == StallCause::issue) {
        const Time at_limit = std::min(span, full_now - wave.full_before);
        wave.spent[static_cast<unsigned>(StallCause::outstanding)] += at_limit;
        span -= at_limit;
    }
    wave.spent[static_cast<unsigned>(wave.cause)] += span;
    wave.cause = cause;
    wave.cause_since = now;
    wave.full_before = full_now;
}

Time ComputeUnits::on_response(unsigned, Line& line, Time delay)
{
    line.kind = line_kind(DieStage::leaving);
    event_queue().schedule(line, *this, event_queue().now() + delay, line.tag >> 20U);
    return 0;
}

void ComputeUnits::touch(std::uint32_t unit)
{
    if (units_[unit].touched) return;
    units_[unit].touched = true;
    touched_.push_back(unit);
    request_arbitration();
    // A launch comes from outside: arbitrate() needs an item of this timed component at this instant.
    if (!running_ && !units_[unit].wake.scheduled)
        event_queue().schedule(units_[unit].wake, *this, std::max(event_queue().now(), units_[unit].issue.free_at()),
            unit & 0xfffU);
}

void ComputeUnits::prefetch(const ScheduledItem& item) const
{
    if (item.kind >= unit_kind) return;
    const LineTag tag = LineTag::of(Line::of(item).tag);
    if (tag.use != LineUse::fetch) __builtin_prefetch(&units_[tag.unit].waves[tag.context], 1);
}

void ComputeUnits::run(ScheduledItem& item)
{
    running_ = true;
    const std::uint32_t number = item.input;
    switch (item.kind) {
    case unit_kind: touch(number); break;
    case workgroup_kind: workgroup_woke(number); break;
    case packets_kind: look_again(Line::of(item)); break;
    default:
        if (!admits_ || try_arrive(Line::of(item))) answered(Line::of(item));
    }
    request_arbitration();
}

void ComputeUnits::arbitrate()
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
    const LineTag tag = LineTag::of(line.tag);
    if (tag.use == LineUse::fetch) {
        if (tag.epoch == 0) {
            fetched(line, tag.unit);
        } else {
            packets_answered(line);
        }
        return;
    }
    if (line.traced()) note_life(line, tag.unit);
    Unit& unit = units_[tag.unit];
    if (full(unit)) unit.full += event_queue().now() - unit.full_since;
    --unit.outstanding;
    switch (tag.use) {
    case LineUse::load: loaded(tag.unit, tag.context, line); break;
    case LineUse::store: {
        const std::uint32_t index = unit.waves[tag.context].group;
        --stores_to(groups_[index], line).open[tag.epoch];
        pool_.give(line);
        store_answered(index);
        break;
    }
    case LineUse::word: word_answered(tag.unit, line); break;
    case LineUse::fetch: break;
    }
    if (unit.ready != 0) touch(tag.unit);
}

void ComputeUnits::loaded(std::uint32_t unit, std::uint32_t context, Line& line)
{
    const LineTag tag = LineTag::of(line.tag);
    Wavefront& wave = units_[unit].waves[context];
    const Workgroup& group = groups_[wave.group];
    const std::uint32_t place = group.operands.set(tag.code);
    RegisterSet& set = wave.sets[place];
    if (data_on_ && set.move->destinations > 0) {
        const std::uint32_t source = group.operands.source(tag.code);
        std::memcpy(registers(group, wave, place, source) +
                (line.address - operand(group, *set.move, source) - set.offset),
            line.data(), line.size);
    }
    pool_.give(line);
    if (--set.waiting > 0 || set.loading) return;
    set_loaded(unit, context, place);
}

void ComputeUnits::set_loaded(std::uint32_t unit, std::uint32_t context, unsigned place)
{
    Wavefront& wave = units_[unit].waves[context];
    const Workgroup& group = groups_[wave.group];
    const RegisterSet& set = wave.sets[place];
    const Operation& move = *set.move;
    if (data_on_ && move.destinations > 0)
        for (unsigned source = 1; source < move.sources; ++source)
            reduce_elements(move.type, move.reduction, registers(group, wave, place, 0),
                registers(group, wave, place, source), set.bytes);
    // Loads whose data nobody stores end in order.
    while (wave.count > 0 && wave.set(0).move->destinations == 0 && wave.set(0).complete()) wave.retire();
    advance(unit, context);
}

// Whether the answer is through the network. If not, it comes again.
bool ComputeUnits::try_arrive(Line& line)
{
    auto stage = static_cast<DieStage>(line.kind);
    if (stage == DieStage::through) return true;
    const Time now = event_queue().now();
    const Time start = ports_.arrive(line, unit_of_tag(line.tag), line.destination == endpoint_, stage, now);
    if (start == now) return true;
    line.kind = line_kind(stage);
    event_queue().schedule(line, *this, start, line.tag >> 20U);
    return false;
}

std::array<Time, stall_causes> ComputeUnits::stalls() const
{
    std::array<Time, stall_causes> out = spent_;
    for (const Workgroup& group : groups_) {
        if (!group.active) continue;
        const Wavefront& zero = units_[group.unit].waves[group.zero];
        for (unsigned cause = 0; cause < stall_causes; ++cause) out[cause] += zero.spent[cause];
    }
    return out;
}

std::vector<ComputeUnits::Blocked> ComputeUnits::blocked() const
{
    std::vector<Blocked> out;
    for (const Workgroup& group : groups_) {
        if (!group.active) continue;
        Blocked entry{group.token, 0, group.program->operations.size(), Operation::Kind::move, 0, 0, 0};
        entry.in_flight = group.near.total() + group.far.total() + group.posted + group.reads;
        if (group.bulk > 0) entry.in_flight += bulk_->in_flight(group.unit);
        for (std::uint64_t left = group.contexts; left != 0; left &= left - 1) {
            const Wavefront& wave = units_[group.unit].waves[static_cast<std::uint32_t>(__builtin_ctzll(left))];
            for (unsigned i = 0; i < wave.count; ++i) entry.in_flight += wave.set(i).waiting - wave.set(i).missed;
            // The operation that holds all others back: the first that any wavefront is at.
            if (wave.operation == nullptr || wave.next - 1 >= entry.operation) continue;
            const bool waits = wave.operation->kind == Operation::Kind::wait && wave.number == 0;
            const Word word = wave.number != 0
                ? Word{wave.operation->address, wave.operation->value, wave.operation->label}
                : word_at(group, wave, waits ? static_cast<std::uint32_t>(__builtin_ctz(group.missing)) : 0);
            entry.label = word.label;
            entry.operation = wave.next - 1;
            entry.kind = wave.operation->kind;
            entry.flag = word.address;
            entry.value = word.value;
            if (waits) {
                entry.more_flags = static_cast<std::uint32_t>(__builtin_popcount(group.missing)) - 1;
            }
            entry.packets = missing_packets(group, wave);
            for (unsigned i = wave.count; i-- > 0;)
                if (wave.set(i).missed > 0) entry.label = wave.set(i).move->label;
        }
        out.push_back(entry);
    }
    return out;
}

std::vector<Statistic> ComputeUnits::statistics() const
{
    std::vector<Statistic> out;
    StatisticWriter write(compute_unit_statistics(), out);
    write("lines", lines_);
    write("flag_reads", polls_);
    write("signals", signals_);
    write("fences", fences_);
    L1Cache::Counts l1;
    for (const Unit& unit : units_) {
        if (unit.l1 == nullptr) continue;
        const L1Cache::Counts& part = unit.l1->counts();
        l1.hits += part.hits;
        l1.misses += part.misses;
        l1.merged += part.merged;
        l1.full += part.full;
        l1.invalidations += part.invalidations;
    }
    write("l1_hits", l1.hits);
    write("l1_misses", l1.misses);
    write("l1_merged", l1.merged);
    write("l1_full", l1.full);
    write("l1_invalidations", l1.invalidations);
    const std::array<Time, stall_causes> time = stalls();
    for (unsigned cause = 0; cause < stall_causes; ++cause)
        write(std::string("time_") + name_of(static_cast<StallCause>(cause)), time[cause]);
    return out;
}

void ComputeUnits::reset_statistics()
{
    lines_ = polls_ = signals_ = fences_ = 0;
    for (Unit& unit : units_)
        if (unit.l1 != nullptr) unit.l1->reset_counts();
    spent_.fill(0);
}

}  // namespace weft
