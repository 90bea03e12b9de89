// FlowDevices: workgroups of kernels.
#include "collectives/flow/devices/flow_devices.h"

#include <algorithm>
#include <utility>

#include "base/line_size.h"

namespace weft {

namespace {

constexpr unsigned zero = 0;   // the stream of wavefront zero
constexpr unsigned ahead = 1;  // the wavefronts that load for it
constexpr std::uint64_t of_kernel = std::uint64_t{1} << 63;
constexpr std::uint32_t lines_of_store = 64;  // that are sent together
constexpr unsigned parts_of_stream = BlockCache::parts / 2;
constexpr std::uint32_t parts_in_flight = 4;  // of a unit at least; else they are divided

std::uint64_t later(double time) { return static_cast<std::uint64_t>(std::max(0.0, time)); }

// The lines of a block that wavefront zero loads, or the others: instructions are dealt out in turn.
std::uint32_t share_of(const FlowKernel& kernel, unsigned stream, std::uint32_t lines)
{
    const std::uint32_t each = kernel.instruction_lines;
    const std::uint32_t instructions = (lines + each - 1) / each;
    const std::uint32_t first = std::min(lines, (instructions + kernel.wavefronts - 1) / kernel.wavefronts * each);
    return stream == zero ? first : lines - first;
}

}  // namespace

FlowDevices::FlowDevices(std::vector<DeviceCost> kinds, const std::vector<std::uint16_t>& kind_of,
    std::function<void(Ps, std::uint32_t)> push, std::function<void(std::uint32_t)> start, FlowHeld* held)
    : kinds_(std::move(kinds)), push_(std::move(push)), start_(std::move(start)), held_(held)
{
    for (const std::uint16_t kind : kind_of) {
        const DeviceCost& cost = kinds_[kind];
        devices_.push_back({&cost, MemoryClock(cost), BlockCache(cost.cache_bytes / line_bytes), DeviceUnits(cost), {},
            0, 0, StoresInFlight(cost.units, cost.outstanding), {}, {}, StoresInFlight::never});
    }
}

void FlowDevices::push(Ps time, const Event& event)
{
    std::uint32_t number = static_cast<std::uint32_t>(events_.size());
    if (free_events_.empty()) {
        events_.push_back(event);
    } else {
        number = free_events_.back();
        free_events_.pop_back();
        events_[number] = event;
    }
    push_(time, number);
}

void FlowDevices::event(std::uint32_t number, Ps now)
{
    const Event event = events_[number];
    free_events_.push_back(number);
    Device& device = devices_[event.endpoint];
    switch (event.item) {
    case Item::wake: device.units[event.group].woken = false; return serve(device, event.endpoint, event.group, now);
    case Item::math: return computed(event.group, now);
    case Item::launch: return launch(event.group, now);
    case Item::acknowledge: return acknowledged(device, event.endpoint, now);
    case Item::chunk: break;
    }
    const std::uint32_t unit = groups_[event.group].unit;
    collect(device, now);
    if (event.room > 0) device.units[unit].returned(*device.cost, in_flight(device, unit), event.lines);
    device.units[unit].in_flight -= event.room;
    groups_[event.group].streams[event.stream].in_flight -= event.lines;
    returned(event.group, event.stream, now);
    serve(device, event.endpoint, unit, now);
}

void FlowDevices::run(std::uint32_t endpoint, std::shared_ptr<const FlowKernel> kernel, Ps time, Done done)
{
    std::uint32_t number = static_cast<std::uint32_t>(runs_.size());
    if (free_runs_.empty()) {
        runs_.emplace_back();
    } else {
        number = free_runs_.back();
        free_runs_.pop_back();
    }
    const std::uint32_t groups = kernel->groups;
    runs_[number] = {std::move(kernel), endpoint, groups, std::move(done), 0};
    push(time, {Item::launch, 0, number, 0, endpoint, 0});
}

void FlowDevices::launch(std::uint32_t number, Ps now)
{
    const std::uint32_t endpoint = runs_[number].endpoint;
    const std::uint32_t wavefronts = runs_[number].kernel->wavefronts;
    ++devices_[endpoint].running;
    for (std::uint32_t group = 0; group < runs_[number].kernel->groups; ++group) {
        const std::uint64_t who = of_kernel | std::uint64_t{number} << 32 | group;
        const std::uint32_t unit = devices_[endpoint].units.place(wavefronts, who);
        if (held_ != nullptr) {
            const TransferSide side = runs_[number].kernel->background ? TransferSide::background : TransferSide::none;
            if (unit != DeviceUnits::none) {
                held_->take(endpoint, side, now);
            } else {
                held_->wait(endpoint, who, side, now);
            }
        }
        if (unit != DeviceUnits::none) begin(who, unit, now);
    }
}

void FlowDevices::begin(std::uint64_t who, std::uint32_t unit, Ps now)
{
    Group made;
    made.kernel = static_cast<std::uint32_t>((who & ~of_kernel) >> 32);
    made.number = static_cast<std::uint32_t>(who);
    made.unit = unit;
    made.endpoint = runs_[made.kernel].endpoint;
    const FlowKernel& kernel = kernel_of(made);
    // A workgroup that begins invalidates the L1 of its unit.
    if (!devices_[made.endpoint].l1.empty()) devices_[made.endpoint].l1[unit].clear();
    for (const unsigned stream : {zero, ahead}) {
        made.streams[stream].wavefronts = stream == zero ? 1 : kernel.wavefronts - 1;
        made.streams[stream].window = made.streams[stream].wavefronts * kernel.sets * kernel.instruction_lines;
    }
    std::uint32_t group = static_cast<std::uint32_t>(groups_.size());
    if (free_groups_.empty()) {
        groups_.push_back(made);
    } else {
        group = free_groups_.back();
        free_groups_.pop_back();
        groups_[group] = made;
    }
    if (kernel.duration_ps > 0) {
        groups_[group].others_over = true;
        return push(now + kernel.duration_ps, {Item::math, 0, group, 0, made.endpoint, 0});
    }
    load(group, ahead, 0, now);
    load(group, zero, 0, now);
}

void FlowDevices::placed(std::uint64_t who, std::uint32_t unit, Ps now)
{
    if ((who & of_kernel) != 0) {
        if (held_ != nullptr) held_->begin(who, now);
        return begin(who, unit, now);
    }
    unit_of_[who] = unit;
    start_(static_cast<std::uint32_t>(who));
}

void FlowDevices::end(std::uint32_t group, Ps now)
{
    const Group ended = groups_[group];
    free_groups_.push_back(group);
    const std::uint32_t wavefronts = kernel_of(ended).wavefronts;
    if (held_ != nullptr) held_->give_back(ended.endpoint, TransferSide::none, now);
    devices_[ended.endpoint].units.leave(ended.unit, wavefronts,
        [&](std::uint64_t who, std::uint32_t unit) { placed(who, unit, now); });
    if (--runs_[ended.kernel].left > 0) return;
    const Done done = std::move(runs_[ended.kernel].done);
    runs_[ended.kernel] = Run{};
    free_runs_.push_back(ended.kernel);
    --devices_[ended.endpoint].running;
    done();
}

// A part of a workgroup begins to load what a step needs.
void FlowDevices::load(std::uint32_t group, unsigned stream, std::uint32_t step, Ps now)
{
    Group& at = groups_[group];
    Stream& of = at.streams[stream];
    const FlowKernel& kernel = kernel_of(at);
    of.step = step;
    of.which = 0;
    of.issued = 0;
    of.loading = true;
    of.block = kernel.load(at.number, step, 0);
    of.left = share_of(kernel, stream, of.block.lines);
    issue(group, stream, now);
    if (!groups_[group].streams[stream].loading && groups_[group].streams[stream].in_flight == 0)
        loaded(group, stream, now);
}

// The next block that need not wait for this one, or none.
void FlowDevices::next_block(Group& group, unsigned stream)
{
    Stream& of = group.streams[stream];
    const FlowKernel& kernel = kernel_of(group);
    while (of.left == 0 && of.loading) {
        of.issued = 0;
        if (of.which == 0 && !group.storing) {
            of.which = 1;
            of.block = kernel.load(group.number, of.step, 1);
        } else if (!group.storing && !kernel.meets && stream == ahead && of.step + 1 < kernel.steps(group.number)) {
            ++of.step;
            of.which = 0;
            of.block = kernel.load(group.number, of.step, 0);
        } else {
            of.loading = false;
            return;
        }
        of.left = share_of(kernel, stream, of.block.lines);
    }
}

// As many lines as registers hold, when the unit has an issue slot and room for them.
void FlowDevices::issue(std::uint32_t group, unsigned stream, Ps now)
{
    Device& device = devices_[groups_[group].endpoint];
    DeviceUnit& unit = device.units[groups_[group].unit];
    for (;;) {
        Group& at = groups_[group];
        Stream& of = at.streams[stream];
        next_block(at, stream);
        if (!of.loading || of.waits) return;
        if (!at.storing && of.in_flight > 0 && of.in_flight + lines_together(at, of) > of.window) return;
        if (in_l1(device, at, stream)) {
            send_from_l1(device, group, stream, now);
            continue;
        }
        of.waits = true;
        unit.waiting += of.wavefronts;
        unit.queue.push_back(group << 1 | stream);
        if (unit.queue.size() > 1 || unit.serving) return;
        serve(device, at.endpoint, at.unit, now);
        if (of.waits) return;
    }
}

std::uint32_t FlowDevices::lines_of_part(const Group& group, const Stream& of) const
{
    const std::uint32_t most = group.storing ? lines_of_store : of.window / 4;
    const std::uint32_t together = kernel_of(group).together;
    return std::max(1U, together > 0 ? std::min(together, most) : most);
}

bool FlowDevices::few_places(const Group& group, const Stream& of) const
{
    return lines_of_part(group, of) * parts_in_flight > devices_[group.endpoint].cost->outstanding;
}

std::uint32_t FlowDevices::lines_together(const Group& group, const Stream& of) const
{
    const std::uint32_t part = lines_of_part(group, of);
    if (!few_places(group, of)) return std::min(of.left, part);
    const auto few = static_cast<std::uint32_t>(devices_[group.endpoint].cost->outstanding / parts_in_flight);
    return std::min({of.left, std::max(1U, few), part - of.issued % part});
}

// The part of the block that a stream is at.
unsigned FlowDevices::part_of(const Group& group, unsigned stream) const
{
    const Stream& of = group.streams[stream];
    return stream * parts_of_stream + std::min(of.issued / lines_of_part(group, of), parts_of_stream - 1);
}

bool FlowDevices::in_l1(Device& device, Group& group, unsigned stream)
{
    if (!kernel_of(group).in_l1 || device.cost->l1_bytes == 0 || group.storing) return false;
    if (device.l1.empty()) device.l1.assign(device.cost->units, BlockCache(device.cost->l1_bytes / line_bytes));
    Stream& of = group.streams[stream];
    if (begins_part(group, of)) of.by_l1 = device.l1[group.unit].find(of.block.number, part_of(group, stream)) > 0;
    return of.by_l1;
}

void FlowDevices::send_from_l1(Device& device, std::uint32_t group, unsigned stream, Ps now)
{
    Group& at = groups_[group];
    Stream& of = at.streams[stream];
    DeviceUnit& unit = device.units[at.unit];
    const std::uint32_t lines = lines_together(at, of);
    const Ps there = device.l1[at.unit].find(of.block.number, part_of(at, stream));
    of.left -= lines;
    of.in_flight += lines;
    of.issued += lines;
    unit.l1_free = std::max(unit.l1_free, static_cast<double>(now)) + lines * device.cost->l1_line_ps;
    const Ps end = std::max(there, later(unit.l1_free) + device.cost->l1_ps);
    push(std::max(now, end), {Item::chunk, static_cast<std::uint8_t>(stream), group, lines, at.endpoint, 0});
}

void FlowDevices::send(std::uint32_t group, unsigned stream, std::uint32_t lines, Ps now)
{
    Group& at = groups_[group];
    Stream& of = at.streams[stream];
    Device& device = devices_[at.endpoint];
    const DeviceCost& cost = *device.cost;
    DeviceUnit& unit = device.units[at.unit];
    const std::uint32_t of_part = lines_of_part(at, of);
    // Instructions are dealt out to wavefronts in turn: in each round the first one is wavefront zero's.
    const FlowKernel& kernel = kernel_of(at);
    const std::uint32_t round = kernel.together > 0 ? kernel.together
        : at.storing                                ? lines_of_store
                                                    : kernel.wavefronts * kernel.instruction_lines;
    const std::uint64_t line = of.block.number / line_bytes + of.issued / of_part * round + of.issued % of_part +
        (at.storing || stream == zero ? 0 : kernel.instruction_lines);
    of.left -= lines;
    of.in_flight += lines;
    unit.issue_free = static_cast<double>(now) + lines * cost.issue_line_ps;
    unit.issuing = of.wavefronts;
    const Ps span = later(unit.issue_free) - now;
    const Ps left = ready(device, at, stream, lines, now + cost.to_cache_ps, now + span + cost.to_cache_ps, line) +
        cost.from_cache_ps;
    const double line_ps = at.storing ? cost.store_line_ps : cost.network_line_ps;
    unit.network_free = std::max(static_cast<double>(left), unit.network_free + lines * line_ps);
    const Ps end = later(unit.network_free);
    // Each of its lines is in flight for the time of one, not of all.
    const double room = lines * static_cast<double>(end - now - span) / static_cast<double>(end - now);
    unit.in_flight += room;
    unit.round_ps = end - now - span;
    if (kernel_of(at).in_l1 && cost.l1_bytes > 0 && !at.storing)
        device.l1[at.unit].fill(of.block.number, part_of(at, stream), of.block.lines, end);
    of.issued += lines;
    push(end, {Item::chunk, static_cast<std::uint8_t>(stream), group, lines, at.endpoint, room});
}

// How many dirty lines make room for the next `lines` of a kernel.
std::uint32_t FlowDevices::displaced(const Group& group, std::uint32_t lines)
{
    Run& run = runs_[group.kernel];
    const std::uint64_t first = std::exchange(run.moved, run.moved + lines);
    const std::uint64_t from = std::max(first, run.kernel->displaces_from);
    const std::uint64_t to = std::min(run.moved, run.kernel->displaces_to);
    return from < to ? static_cast<std::uint32_t>(to - from) : 0;
}

// When the L2 has what comes to it from `first` to `last`.
FlowDevices::Ps FlowDevices::ready(Device& device, Group& group, unsigned stream, std::uint32_t lines, Ps first,
    Ps last, std::uint64_t at)
{
    const DeviceCost& cost = *device.cost;
    const FlowKernel& kernel = kernel_of(group);
    Stream& of = group.streams[stream];
    const FlowKernel::Block& block = of.block;
    const unsigned part = part_of(group, stream);
    const MemoryClock::Turn turn = device.clock.cache(first, last - first, lines, at);
    Ps out = std::max(turn.last, last) + cost.cache_ps;
    std::uint64_t written_back = 0;
    const std::uint32_t displaced_lines = displaced(group, lines);
    if (group.storing) {
        if (kernel.remembered) written_back = device.cache.write(block.number, block.lines, out);
        if (displaced_lines > 0)
            out = std::max(out, device.clock.displace(turn.first + cost.cache_ps, displaced_lines));
    } else {
        if (begins_part(group, of))
            of.there = kernel.remembered ? device.cache.find(block.number, part) : kernel.cold ? 0 : 1;
        if (of.there > 0) return std::max(out, of.there) + (kernel.elsewhere ? cost.side_ps : 0);
        const Ps served = device.clock.memory(turn.first + cost.cache_ps, lines);
        out = std::max(out, served + later(lines * cost.memory_line_ps)) + cost.memory_ps;
        written_back = displaced_lines;
        const std::uint64_t copies = kernel.meets ? cost.copies : 1;
        if (kernel.remembered) written_back = device.cache.fill(block.number, part, block.lines * copies, out);
    }
    if (written_back > 0) device.clock.write_back(turn.first, static_cast<double>(written_back));
    return out;
}

void FlowDevices::returned(std::uint32_t group, unsigned stream, Ps now)
{
    issue(group, stream, now);
    const Group& at = groups_[group];
    const Stream& of = at.streams[stream];
    if (of.loading || of.in_flight > 0) return;
    if (at.storing) return end(group, now);
    loaded(group, stream, now);
}

void FlowDevices::loaded(std::uint32_t group, unsigned stream, Ps now)
{
    Group& at = groups_[group];
    const FlowKernel& kernel = kernel_of(at);
    const std::uint32_t step = at.streams[stream].step;
    (stream == zero ? at.zero_over : at.others_over) = true;
    if (!kernel.meets) {
        if (stream == zero) return compute(group, step, now);
        if (at.zero_over && at.streams[zero].step + 1 >= kernel.steps(at.number) && at.streams[zero].which == 2)
            end(group, now);
        return;
    }
    if (!at.zero_over || !at.others_over) return;
    at.zero_over = at.others_over = false;
    compute(group, step, now);
    if (step + 1 < kernel.steps(at.number)) load(group, ahead, step + 1, now);
}

void FlowDevices::compute(std::uint32_t group, std::uint32_t step, Ps now)
{
    Group& at = groups_[group];
    Device& device = devices_[at.endpoint];
    DeviceUnit& unit = device.units[at.unit];
    const double time = kernel_of(at).flops(at.number, step) * device.cost->flop_ps;
    unit.math_free = std::max(unit.math_free, static_cast<double>(now)) + time;
    push(time > 0 ? later(unit.math_free) : now, {Item::math, 0, group, 0, at.endpoint, 0});
}

void FlowDevices::computed(std::uint32_t group, Ps now)
{
    Group& at = groups_[group];
    const FlowKernel& kernel = kernel_of(at);
    if (kernel.duration_ps > 0) return end(group, now);
    const std::uint32_t step = at.streams[zero].step;
    if (step + 1 < kernel.steps(at.number)) return load(group, zero, step + 1, now);
    if (kernel.meets) return store(group, now);
    at.streams[zero].which = 2;  // it is over
    if (at.others_over) end(group, now);
}

void FlowDevices::store(std::uint32_t group, Ps now)
{
    Group& at = groups_[group];
    const FlowKernel& kernel = kernel_of(at);
    Stream& of = at.streams[ahead];
    of.block = kernel.store(at.number);
    if (of.block.lines == 0) return end(group, now);
    at.storing = true;
    of.left = of.block.lines;
    of.issued = 0;
    of.loading = true;
    of.wavefronts = kernel.wavefronts;
    issue(group, ahead, now);
}

}  // namespace weft
