#include "collectives/engine/lines/line_executor.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/engine/lines/executor_parts.h"
#include "collectives/engine/lines/kernel_programs.h"
#include "collectives/engine/longest_run.h"
#include "collectives/schedule/channels.h"
#include "collectives/schedule/protocol/protocol.h"
#include "gpu/interface/absent_accelerator.h"

namespace weft {

namespace {

constexpr std::uint64_t flag_space = std::uint64_t{1} << 40;
constexpr std::uint64_t fill_block = std::uint64_t{1} << 20;

}  // namespace

LineExecutor::LineExecutor(EventQueue& event_queue, const std::vector<Accelerator*>& endpoints, Progress& progress,
    const EngineSpec& spec, bool data_on, std::uint64_t seed)
    : TimedComponent(event_queue, "~executor"), endpoints_(endpoints),
      seats_(std::max<std::size_t>(1, endpoints.size()), Seat{&event_queue, &progress, this, 0}),
      here_(&seats_.front()), spec_(spec), data_on_(data_on), seed_(seed)
{
    for (Accelerator* accelerator : endpoints_) {
        gpus_.push_back(accelerator->gpu());
        replays_.push_back(accelerator->replay());
        if (gpus_.back() == nullptr && replays_.back() == nullptr &&
            dynamic_cast<const AbsentAccelerator*>(accelerator) == nullptr)
            throw InputError("", 0, accelerator->path() + " has a model that cannot execute a collective",
                "a model derived from Gpu or ReplayGpu");
        const std::uint32_t endpoint = accelerator->endpoint();
        memories_.emplace_back(global_address(endpoint, 0), accelerator->capacity());
        flags_.emplace_back(global_address(endpoint, MemoryImage::flag_base), flag_space);
    }
}

LineExecutor::~LineExecutor() = default;

Executor::JobId LineExecutor::open(Job job)
{
    auto running = std::make_unique<Running>();
    running->id = records_.size();
    running->engine = job.engine.value_or(spec_);
    const std::shared_ptr<const SchedulePrice> price = job.schedule->price;
    job.schedule = protocols_.carried_out(std::move(job.schedule), running->engine, job.bytes, size_of(job.type));
    if (static_cast<FlagHome>(running->engine.flag_home) == FlagHome::signaller && job.schedule->channels > 1)
        job.schedule = std::make_shared<Schedule>(whole(*job.schedule));
    running->ports = has_ports(*job.schedule);
    running->layout = std::make_unique<Layout>(*job.schedule, job.bytes, size_of(job.type));
    running->packets = std::make_unique<PacketSlots>(packet_slots(*job.schedule, *running->layout, running->engine));
    running->in_switch = switch_use(*job.schedule);
    if (running->in_switch.any()) {
        running->endpoints = job.members;
        std::sort(running->endpoints.begin(), running->endpoints.end());
    }
    number_groups(running->in_switch, job, groups_);
    running->job = std::move(job);
    allocate(*running);
    if (data_on_) fill(*running);
    JobRecord record;
    record.name = running->job.name;
    record.op = running->job.schedule->op;
    record.algorithm = running->job.schedule->name;
    record.protocol = protocol_of(*running->job.schedule, running->engine);
    record.ranks = running->job.schedule->size();
    record.bytes = running->job.bytes;
    record.type = running->job.type;
    record.reduction = running->job.schedule->reduction;
    record.price = price;
    record.group = running->job.group;
    record.reported = running->job.reported;
    records_.push_back(std::move(record));
    const JobId id = running->id;
    jobs_[id] = std::move(running);
    return id;
}

void LineExecutor::allocate(Running& job)
{
    const Schedule& schedule = *job.job.schedule;
    bool any_replays = false;
    bool waits = false;  // for packets
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const bool replay = replays(job.job.members[rank]);
        any_replays |= replay;
        waits |= !replay && job.packets->bytes(rank) > 0;
    }
    if (any_replays && waits)
        throw InputError(job.job.name, 0,
            "a GPU waits for packets, but some of its peers are replay GPUs, which send no packets",
            "engine.protocol=simple, or no replay GPUs");
    if (job.engine.flag_home == FlagHome::signaller)
        job.at_signallers = std::make_unique<SignalFlags>(schedule, job.mover());
    const int lacking = job.memory().allocate(job.in_switch, job.job.members, memories_, symmetric_, job.addresses);
    if (lacking >= 0) {
        const Accelerator& accelerator = *endpoints_[static_cast<unsigned>(lacking)];
        throw no_room_for(job.job.name, accelerator.path(), accelerator.capacity());
    }
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        const std::uint32_t endpoint = job.job.members[rank];
        RankAddresses& addresses = job.addresses[rank];
        if (!absent(endpoint)) {
            MemoryImage& image = endpoints_[endpoint]->image();
            const std::uint64_t packets = local_of(addresses.memory[static_cast<unsigned>(Buffer::packets)]);
            image.expect_packets(packets, job.packets->bytes(rank));
            for (const PacketSlots::Range& range : job.packets->padding(rank))
                image.packets_came(packets + range.first, range.second);
        }
        job.flags.push_back(flags_of(schedule.ranks[rank], job.mover()) * schedule.channels);
        if (job.at_signallers) job.flags.back() += job.at_signallers->count(rank);
        const std::uint64_t flag_bytes = job.flags.back() * flag_stride;
        if (flag_bytes > 0) flags_[endpoint].allocate(flag_bytes, addresses.flags);
        for (std::uint32_t flag = 0; !absent(endpoint) && flag < job.flags.back(); ++flag)
            endpoints_[endpoint]->image().flag(local_of(addresses.flags + flag * flag_stride)) = 0;
    }
}

void LineExecutor::fill(Running& job)
{
    const Schedule& schedule = *job.job.schedule;
    std::vector<std::uint8_t> block;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        if (absent(job.job.members[rank])) continue;
        const Place place = job.layout->place_of(rank, Buffer::input);
        const std::uint64_t total = job.layout->buffer_bytes(rank, Buffer::input);
        const std::uint64_t base =
            local_of(job.addresses[rank].memory[static_cast<unsigned>(place.memory)]) + place.offset;
        for (std::uint64_t begin = 0; begin < total; begin += fill_block) {
            block.resize(std::min(fill_block, total - begin));
            fill_input(job.job.type, rank, schedule.size(), seed_ + job.id, begin, block.size(), block.data());
            endpoints_[job.job.members[rank]]->image().write_past_caches(base + begin, block.data(), block.size());
        }
    }
}

void LineExecutor::enter(JobId id, std::uint32_t position, Done done)
{
    Running& job = *jobs_.at(id);
    if (job.entered++ == 0) records_[id].start = now();
    const bool elsewhere = absent(job.job.members[position]);
    const bool others = delegated(job.job.members[position]);
    if (elsewhere && !in_turns_ && !others) {
        elsewhere_[{id, position}] = std::move(done);
        return;
    }
    Part& part = new_part(job.job.members[position]);
    part.of_job = true;
    part.job = id;
    part.position = position;
    part.entered = now();
    part.done = std::move(done);
    // Which workgroups there are elsewhere counts where they are logged.
    if (others || (elsewhere && log_ == nullptr) || replays(part.endpoint)) {
        schedule(part, 0);
        if (has_delegate(part.endpoint)) delegate_->enter(id, position, part.index);
        return;
    }
    Lowered lowered = lower(*job.job.schedule, *job.layout, job.job.type, position, job.addresses, job.mover(),
        job.at_signallers.get(), job.packets.get(), &job.in_switch.groups);
    for (std::uint32_t thread = 0; thread < lowered.workgroups.size(); ++thread) {
        if (!lowered.workgroups[thread].operations.empty()) {
            lowered.workgroups[thread].compact();
            part.programs.push_back(std::move(lowered.workgroups[thread]));
            part.threads.push_back(thread);
        }
        if (lowered.lists[thread].operations.empty()) continue;
        part.lists.push_back(std::move(lowered.lists[thread]));
        part.list_threads.push_back(thread);
    }
    schedule(part, compute_units(part.endpoint).launch_latency);
}

void LineExecutor::access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done)
{
    Part& part = new_part(endpoint);
    part.done = std::move(done);
    if (!memories_[home].allocate(bytes, part.address))
        throw no_room_for_tensor("memory node", bytes, endpoints_[home]->path(), memories_[home]);
    part.bytes = bytes;
    const std::uint64_t channels =
        absent(endpoint) ? 0 : std::min<std::uint64_t>(spec_.channels, (bytes + line_bytes - 1) / line_bytes);
    for (std::uint64_t c = 0; c < channels; ++c) {
        const ByteRange share = share_of(bytes, 0, static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(channels));
        Program program;
        if (write) {
            program.add_move({}, {part.address + share.begin}, share.size(), ElementType::u8, ReduceOp::sum);
        } else {
            program.add_move({part.address + share.begin}, {}, share.size(), ElementType::u8, ReduceOp::sum);
        }
        part.programs.push_back(std::move(program));
    }
    schedule(part, compute_units(endpoint).launch_latency);
    if (has_delegate(endpoint)) delegate_->access_memory(endpoint, home, bytes, write, part.index);
}

void LineExecutor::run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done)
{
    require_time_left(now(), work.duration);
    Part& part = new_part(endpoint);
    part.done = std::move(done);
    if (work.duration == 0) part.bytes = work.bytes;
    if (part.bytes > 0 && !memories_[endpoint].allocate(part.bytes, part.address))
        throw no_room_for_tensor("compute node", part.bytes, endpoints_[endpoint]->path(), memories_[endpoint]);
    KernelWork placed = work;
    if (placed.workgroups == 0) placed.workgroups = 2 * compute_units(endpoint).compute_units;
    if (!absent(endpoint)) part.programs = kernel_programs(placed, part.address);
    schedule(part, 0);
    if (has_delegate(endpoint)) delegate_->run_kernel(endpoint, work, part.index);
}

void LineExecutor::run_gemm(std::uint32_t endpoint, const Gemm& gemm, Done done)
{
    Part& part = new_part(endpoint);
    part.done = std::move(done);
    part.wavefronts = Gemm::wavefronts;
    part.unroll = Gemm::unroll;
    part.bytes = gemm.memory_bytes();
    if (!memories_[endpoint].allocate(part.bytes, part.address))
        throw InputError("", 0,
            "the matrices of " + format_bytes(part.bytes) + " do not fit into " + endpoints_[endpoint]->path(),
            "a smaller product or a larger hbm.capacity");
    if (!absent(endpoint)) part.programs = gemm_programs(gemm, part.address);
    schedule(part, compute_units(endpoint).launch_latency);
}

void LineExecutor::wait(std::uint32_t endpoint, Picoseconds duration, Done done)
{
    require_time_left(now(), duration);
    Part& part = new_part(endpoint);
    part.timer = true;
    part.done = std::move(done);
    schedule(part, duration);
    if (has_delegate(endpoint)) delegate_->wait(endpoint, duration, part.index);
}

void LineExecutor::run(ScheduledItem& item)
{
    const std::lock_guard<std::recursive_mutex> turn(turn_);
    Part& part = static_cast<Part&>(item);
    here_ = &seats_[part.endpoint];
    here_->queue->act_for(here_->device);
    Progress& progress = *here_->progress;
    if (part.ended) {
        end_one(part);
    } else if (part.of_job && replays_[part.endpoint] != nullptr) {
        part.remaining = 1;
        replays_[part.endpoint]->when_finished(*this, part.index);
    } else if (ends_at_once(part)) {
        end_one(part);
    } else {
        launch(part);
    }
    // From here on its workgroups stand for the part.
    progress.quiet(now());
}

void LineExecutor::launch(Part& part)
{
    part.remaining = static_cast<std::uint32_t>(part.programs.size() + part.lists.size());
    const EngineSpec& engine = part.of_job ? jobs_.at(part.job)->engine : spec_;
    const bool proxied = this->proxied(part);
    const bool logged = log_ != nullptr && part.of_job;
    std::vector<std::uint32_t> lists;  // numbers
    for (std::size_t i = 0; i < part.lists.size(); ++i) {
        DmaEngines::List list{&part.lists[i], this, part.index, proxied, 0};
        if (logged && !proxied) list.log = number_of_work(part, part.list_threads[i], true);
        lists.push_back(gpus_[part.endpoint]->dma_engines().launch(list));
    }
    std::size_t own = 0;  // of the lists, whose threads come in the same order
    for (std::size_t i = 0; i < part.programs.size(); ++i) {
        ComputeUnits::Launch launch;
        while (proxied && own < lists.size() && part.list_threads[own] < part.threads[i]) ++own;
        if (proxied && own < lists.size()) launch.list = lists[own];
        launch.program = &part.programs[i];
        launch.wavefronts = part.wavefronts > 0 ? part.wavefronts : static_cast<std::uint32_t>(engine.wavefronts);
        launch.unroll = part.unroll > 0 ? part.unroll : static_cast<std::uint32_t>(engine.unroll);
        launch.vector_bytes = static_cast<std::uint32_t>(engine.vector);
        launch.poll_lanes = static_cast<std::uint32_t>(engine.poll_lanes);
        launch.listener = this;
        launch.token = part.index;
        launch.background = part.background();
        launch.side = side_of(part);
        if (logged) launch.log = number_of_work(part, part.threads[i], false);
        gpus_[part.endpoint]->units().launch(launch);
    }
}

TransferSide LineExecutor::side_of(const Part& part) const
{
    if (part.background()) return TransferSide::background;
    if (!part.of_job || jobs_.at(part.job)->job.schedule->op != CollectiveOp::send_receive) return TransferSide::none;
    return part.position == 0 ? TransferSide::send : TransferSide::receive;
}

PlaceUse LineExecutor::places(std::uint32_t endpoint) const
{
    if (gpus_[endpoint] == nullptr) return {};
    const GpuSpec& spec = gpus_[endpoint]->spec();
    const std::uint64_t waves = std::clamp<std::uint64_t>(spec_.wavefronts, 1, spec.wavefronts_per_unit);
    PlaceUse out = gpus_[endpoint]->units().places();
    out.units = spec.compute_units;
    out.places = out.units * std::min(spec.workgroups_per_unit, spec.wavefronts_per_unit / waves);
    return out;
}

void LineExecutor::on_workgroup_done(std::uint64_t token)
{
    Part& part = *parts_[token];
    if (in_turns_) {  // its own until the turn
        if (--part.remaining > 0) return;
        const Seat& seat = seats_[part.endpoint];
        part.ended = true;
        seat.progress->busy();
        seat.queue->schedule(part, *seat.ends, seat.queue->now());
        return;
    }
    const std::lock_guard<std::recursive_mutex> turn(turn_);
    here_ = &seats_[part.endpoint];
    if (--part.remaining == 0) end_one(part);
}

bool LineExecutor::guarded(const std::function<void()>& action)
{
    try {
        action();
        return true;
    } catch (...) {
        // The kernel would turn it into a report of its own: keep it for whoever started the run.
        failure_ = std::current_exception();
        here_->queue->stop();
        return false;
    }
}

void LineExecutor::rethrow() const
{
    if (failure_) std::rethrow_exception(failure_);
}

std::optional<std::uint64_t> LineExecutor::address(JobId id, std::uint32_t rank, Buffer buffer,
    std::uint64_t offset) const
{
    const Running& job = *jobs_.at(id);
    if (buffer == Buffer::packets || rank >= job.addresses.size() || offset >= job.layout->buffer_bytes(rank, buffer))
        return std::nullopt;
    const Place place = job.layout->place_of(rank, buffer);
    return job.addresses[rank].memory[static_cast<unsigned>(place.memory)] + place.offset + offset;
}

double LineExecutor::peak_flops(std::uint32_t endpoint) const
{
    return static_cast<double>(compute_units(endpoint).peak_flops);
}

const GpuSpec& LineExecutor::compute_units(std::uint32_t endpoint) const
{
    return gpus_[endpoint] == nullptr ? absent_one(endpoint).size().units : gpus_[endpoint]->spec();
}

double LineExecutor::memory_rate(std::uint32_t endpoint) const
{
    return static_cast<double>(
        gpus_[endpoint] == nullptr ? absent_one(endpoint).size().memory_rate : gpus_[endpoint]->hbm_spec().bandwidth);
}

}  // namespace weft
