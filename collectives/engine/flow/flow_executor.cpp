#include "collectives/engine/flow/flow_executor.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "base/units.h"
#include "collectives/engine/flow/flow_kernels.h"
#include "collectives/engine/flow/step_amounts.h"
#include "collectives/engine/longest_run.h"
#include "collectives/schedule/analysis/chained_moves.h"
#include "collectives/schedule/analysis/partial_lines.h"
#include "collectives/schedule/channels.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/protocol/protocol.h"
#include "collectives/synthesis/thread_pace.h"

namespace weft {

namespace {

constexpr double ps_of_second = 1e12;
constexpr std::uint64_t least_chunk_told = 4096;  // B: parts of lines of smaller ones are lost among latencies

}  // namespace

FlowExecutor::FlowExecutor(FlowCore& core, const EngineSpec& spec, std::vector<FlowEndpoint> endpoints,
    CarriedOut carried_out)
    : core_(core), spec_(spec), endpoints_(std::move(endpoints)), carried_out_(std::move(carried_out)),
      memory_free_(endpoints_.size()), units_free_(endpoints_.size())
{
    require_known(spec);
    for (const FlowEndpoint& endpoint : endpoints_) memories_.emplace_back(0, endpoint.capacity);
}

void FlowExecutor::require_known(const EngineSpec& spec)
{
    if (spec.flag_home != FlagHome::waiter)
        throw InputError("", 0, "engine.flag_home=signaller, but flow fidelity has flags only at the rank that waits",
            "engine.flag_home=waiter, or --fidelity line");
}

// Engines copy; what adds up, or switches do, is the units'.
void FlowExecutor::set_mover(const EngineSpec& engine, const FlowProgram& program, FlowJob& flow) const
{
    if (engine.mover == Mover::units) return;
    flow.mover = engine.mover == Mover::copy_engine ? FlowMover::copy : FlowMover::bulk;
    if (threads_each_ > 1)
        throw InputError(program.name, 0,
            "the channels of this collective are merged, and flow fidelity has no engines for several channels at once",
            "fewer channels, engine.mover=units, or --fidelity line");
    if (flow.mover != FlowMover::copy) return;
    for (const FlowTemplate& each : program.templates)
        for (const FlowOp& op : each.ops)
            if (op.kind == FlowKind::move &&
                (op.own_sources + op.sources > 1 || program.has_packets || program.in_switches))
                throw InputError(program.name, 0,
                    "engine.mover=copy_engine with steps that units carry out (sums, packets, steps in switches): flow "
                    "fidelity does not hand a thread from its list to its workgroup and back",
                    "an algorithm that only copies, engine.mover=bulk or units, or --fidelity line");
}

Executor::JobId FlowExecutor::open(Job job)
{
    const EngineSpec& engine = job.engine ? *job.engine : spec_;
    require_known(engine);
    if (!core_.has_border()) copy_at_home(job);
    const auto element = static_cast<std::uint32_t>(size_of(job.type));
    const std::shared_ptr<const Schedule> schedule = carried_out_(job.schedule, engine, job.bytes, element);
    const bool fenced = engine.protocol == Protocol::ll128 && engine.ll128_fence;
    Carried& carried = programs_[{schedule, fenced}];
    if (!carried.program) {
        carried.whole = schedule->channels == 1 ? schedule : std::make_shared<const Schedule>(whole(*schedule));
        const FirstReads first_reads(*schedule);
        carried.program = std::make_shared<const FlowProgram>(program_of(*carried.whole, fenced, &first_reads));
        carried.parts = most_parts(*carried.whole);
    }
    FlowJob flow;
    flow.program = carried.program;
    const std::uint64_t parts = std::uint64_t{schedule->chunks} * carried.parts;
    const bool few_lines = threads_each_ == 1 && small(job.bytes, parts);
    const SharedLines::Buffers cached = take_buffers(*schedule, job);
    if (!cached.empty()) {
        const Layout layout(*schedule, job.bytes, element);
        for (std::uint32_t rank = 0; rank < schedule->size(); ++rank)
            flow.cached.push_back(cached[rank][static_cast<unsigned>(layout.place_of(rank, Buffer::input).memory)]);
    }
    flow.shared_lines = shared_lines(carried, *schedule, job, cached);
    if (job.bytes >= schedule->chunks * least_chunk_told)
        in_partial_lines_ = std::max(in_partial_lines_, share_in_partial_lines(*schedule, job.bytes, element));
    count_chained(*carried.whole, job, engine);
    if (core_.has_border() || (few_lines && !carried.program->in_switches))
        flow.step_bytes = whole_lines(carried.whole, *schedule, job, format_of(engine.protocol));
    if (engine.mover != Mover::units && job.bytes % (std::uint64_t{line_bytes} * std::max(1U, schedule->chunks)) != 0)
        flow.copied_lines = lines_of_copies(carried.whole, *schedule, job);
    return open(std::move(job), std::move(flow));
}

Executor::JobId FlowExecutor::open(Job job, std::shared_ptr<const FlowProgram> program)
{
    require_known(job.engine ? *job.engine : spec_);
    // No buffer of a rank holds more than the message; all of them together are not added up here.
    for (const std::uint32_t member : job.members) require_room(member, job.bytes, job.name);
    FlowJob flow;
    flow.program = std::move(program);
    return open(std::move(job), std::move(flow));
}

Executor::JobId FlowExecutor::open(Job job, FlowJob flow)
{
    const auto protocol = (job.engine ? *job.engine : spec_).protocol;
    const FlowProgram& program = *flow.program;
    JobRecord record;
    record.name = job.name;
    record.op = program.op;
    record.algorithm = job.schedule ? job.schedule->name : program.name;
    record.protocol = program.has_packets ? name_of(protocol == Protocol::ll128 ? Protocol::ll128 : Protocol::ll)
                                          : name_of(Protocol::simple);
    record.ranks = program.ranks();
    record.bytes = job.bytes;
    record.type = job.type;
    record.reduction = job.schedule ? job.schedule->reduction : job.reduction;
    if (job.schedule) record.price = job.schedule->price;
    record.reported = job.reported;
    record.group = job.group;
    records_.push_back(std::move(record));
    flow.bytes = job.bytes;
    flow.members = std::move(job.members);
    flow.threads_each = threads_each_;
    set_mover(job.engine ? *job.engine : spec_, program, flow);
    flow.one_for_all = one_for_all_;
    flow.format = format_of(protocol);
    flow.name = std::move(job.name);
    flow.number = static_cast<std::uint32_t>(entered_.size());
    entered_.push_back({core_.open(std::move(flow)), 0, 0});
    return entered_.size() - 1;
}

void FlowExecutor::enter(JobId job, std::uint32_t position, Done done)
{
    if (own_.count(job) > 0) return enter_own(job, position, std::move(done));
    enter_core(job, position, std::move(done));
}

void FlowExecutor::enter_core(JobId job, std::uint32_t position, Done done)
{
    if (entered_[job].entered++ == 0) records_[job].start = now();
    core_.enter(entered_[job].job, position, [this, job, done = std::move(done)] {
        records_[job].end = now();
        records_[job].finished = ++entered_[job].left == (one_for_all_ ? 1 : records_[job].ranks);
        if (records_[job].finished && job < held_.size()) {
            for (const auto& [endpoint, buffer] : held_[job]) give_back(endpoint, buffer);
            held_[job].clear();
        }
        done();
    });
}

void FlowExecutor::enter_outside(JobId job)
{
    if (entered_[job].entered++ == 0) records_[job].start = now();
    core_.enter_outside(entered_[job].job);
}

void FlowExecutor::leave_outside(JobId job)
{
    records_[job].end = now();
    records_[job].finished = ++entered_[job].left == records_[job].ranks;
    core_.leave_outside(entered_[job].job);
}

void FlowExecutor::remember_buffers()
{
    for (const FlowEndpoint& endpoint : endpoints_) buffers_.emplace_back(endpoint.capacity, endpoint.cache);
}

// Without remember_buffers() each request is compared with the whole memory, by itself.
void FlowExecutor::require_room(std::uint32_t endpoint, std::uint64_t bytes, const std::string& user, bool room) const
{
    const std::uint64_t capacity = endpoints_[endpoint].capacity;
    if (bytes > capacity || !room)
        throw InputError(user, 0,
            format_bytes(bytes) + " do not fit into the memory of an endpoint (" +
                (buffers_.empty() ? format_bytes(capacity) : buffers_[endpoint].capacity_text(bytes)) + ")",
            "smaller messages and tensors, or a larger hbm.capacity");
}

// Lines of kernels and memory nodes are counted with 32 bits.
void FlowExecutor::require_countable(std::uint64_t bytes, const std::string& user)
{
    constexpr std::uint64_t most = std::uint64_t{line_bytes} << 32;
    if (bytes > most)
        throw InputError(user, 0, format_bytes(bytes) + " at once at flow fidelity", "at most " + format_bytes(most));
}

BufferHistory::Taken FlowExecutor::take(std::uint32_t endpoint, std::uint64_t bytes, const std::string& user)
{
    const BufferHistory::Taken out = buffers_.empty() ? BufferHistory::Taken{} : buffers_[endpoint].take(bytes);
    require_room(endpoint, bytes, user, buffers_.empty() || bytes == 0 || out.bytes > 0);
    return out;
}

void FlowExecutor::give_back(std::uint32_t endpoint, const BufferHistory::Taken& buffer)
{
    if (!buffers_.empty()) buffers_[endpoint].give_back(buffer);
}

std::shared_ptr<const SharedLines> FlowExecutor::shared_lines(Carried& carried, const Schedule& schedule,
    const Job& job, const SharedLines::Buffers& cached)
{
    const std::size_t element = size_of(job.type);
    const auto [known, fresh] = carried.shared_lines.try_emplace({job.bytes, element}, nullptr);
    if (fresh) {
        SharedLines found(schedule, job.bytes, static_cast<std::uint32_t>(element));
        if (!found.none()) known->second = std::make_shared<const SharedLines>(std::move(found));
    }
    if (known->second == nullptr || cached.empty()) return known->second;
    SharedLines left = known->second->without(cached);
    return left.none() ? nullptr : std::make_shared<const SharedLines>(std::move(left));
}

// Allocates the buffers of the next job as the line model does, and returns those that are in a cache; nothing where none is remembered.
SharedLines::Buffers FlowExecutor::take_buffers(const Schedule& schedule, const Job& job)
{
    // Buffers of a rank are a few messages, of which each peer may have one: far below that nothing is added up.
    constexpr std::uint64_t most_buffers = 8;
    const std::uint64_t most_messages = most_buffers * schedule.size();
    if (buffers_.empty() && std::all_of(job.members.begin(), job.members.end(), [&](std::uint32_t member) {
            return job.bytes < endpoints_[member].capacity / most_messages;
        }))
        return {};
    const Layout layout(schedule, job.bytes, static_cast<std::uint32_t>(size_of(job.type)));
    if (buffers_.empty()) {
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
            std::uint64_t bytes = 0;
            for (const Buffer buffer : all_buffers)
                if (buffer != Buffer::packets) bytes += layout.memory_bytes(rank, buffer);
            require_room(job.members[rank], bytes, job.name);
        }
        return {};
    }
    held_.resize(entered_.size() + 1);
    SharedLines::Buffers cached(schedule.size());
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank) {
        for (const Buffer buffer : all_buffers) {
            const std::uint64_t bytes = buffer == Buffer::packets ? 0 : layout.memory_bytes(rank, buffer);
            const BufferHistory::Taken taken = take(job.members[rank], bytes, job.name);
            cached[rank][static_cast<unsigned>(buffer)] = taken.cached;
            held_.back().emplace_back(job.members[rank], taken);
        }
    }
    return cached;
}

Picoseconds FlowExecutor::service_time(std::uint32_t endpoint, std::uint64_t bytes, bool cached) const
{
    const FlowEndpoint& at = endpoints_[endpoint];
    const auto time = [bytes](double rate) {
        return rate > 0 ? static_cast<Picoseconds>(std::llround(static_cast<double>(bytes) / rate * ps_of_second)) : 0;
    };
    return std::max(time(at.cache_bytes_per_s), cached ? 0 : time(at.memory_bytes_per_s));
}

Picoseconds FlowExecutor::serve(std::uint32_t endpoint, std::uint64_t bytes, bool cached, Picoseconds from)
{
    Picoseconds& free = memory_free_[endpoint];
    free = std::max(free, from) + service_time(endpoint, bytes, cached);
    return free;
}

void FlowExecutor::count_chained(const Schedule& schedule, const Job& job, const EngineSpec& engine)
{
    if (engine.mover != Mover::units || engine.protocol != Protocol::simple) return;
    const std::uint64_t instruction = endpoints_[job.members.front()].units.lanes * engine.vector;
    const std::uint64_t registers = engine.wavefronts * engine.unroll * instruction;
    chained_rounds_ = std::max(chained_rounds_, most_chained_moves(schedule, job.bytes, registers * threads_each_));
}

std::uint64_t FlowExecutor::instruction_in_parts() const
{
    for (const FlowEndpoint& endpoint : endpoints_)
        if (const std::uint64_t bytes = endpoint.units.lanes * spec_.vector; bytes % line_bytes != 0) return bytes;
    return 0;
}

Picoseconds FlowExecutor::pace_of(std::uint32_t endpoint, std::uint64_t bytes, bool write, Picoseconds latency) const
{
    const std::uint64_t channels = std::min<std::uint64_t>(spec_.channels, (bytes + line_bytes - 1) / line_bytes);
    if (channels == 0) return 0;
    const double share = static_cast<double>(bytes) / static_cast<double>(channels);
    MoveLoad load;
    load.bytes = write ? 0 : share;  // registers hold what is loaded
    load.data = load.issued = share;
    load.own_byte_ps = share * static_cast<double>(latency);
    load.load_ps = load.round_ps = latency;
    const FlowEndpoint& at = endpoints_[endpoint];
    const double rate = write ? at.out_of_unit_bytes_per_s : at.into_unit_bytes_per_s;
    const double on_network = rate > 0 ? share / rate * ps_of_second : 0;
    return std::max(ThreadPace(at.pace, channels, 1).issue_ps(load),
        static_cast<Picoseconds>(std::llround(on_network)));
}

void FlowExecutor::access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done)
{
    require_countable(bytes, "memory node");
    const BufferHistory::Taken buffer = take(home, bytes, "memory node");
    const FlowEndpoint& memory = endpoints_[home];
    const bool cached = buffer.cached;
    if (home == endpoint && core_.has_devices() && bytes > 0)
        return move_on_device(endpoint, bytes, write, buffer, std::move(done));
    done = [this, home, buffer, then = std::move(done)] {
        give_back(home, buffer);
        then();
    };
    if (bytes == 0) return core_.after(endpoints_[endpoint].units.launch_latency, std::move(done));
    if (home != endpoint) return access_remote(endpoint, home, bytes, write, cached, std::move(done));
    const Picoseconds latency = memory.pace.load_ps + (cached || write ? 0 : memory.memory_latency);
    core_.after(memory.units.launch_latency + latency +
            std::max(serve_node(home, bytes, write, cached, now()) - now(), pace_of(home, bytes, write, latency)),
        std::move(done));
}

// Latencies of the first line; behind it the slowest of memory, links and workgroups decides.
void FlowExecutor::access_remote(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write,
    bool cached, Done done)
{
    const FlowEndpoint& memory = endpoints_[home];
    const FlowCore::Way way = core_.way(endpoint, home);
    const Picoseconds read = cached || write ? 0 : memory.memory_latency + memory.pace.cold_behind_ps;
    const Picoseconds launch = endpoints_[endpoint].units.launch_latency;
    const Picoseconds first = launch + way.there + read;  // has been read, or stored
    const Displaces out = write ? displaces(home, bytes, write, cached) : Displaces{};
    const std::uint64_t kept = bytes - out.bytes();
    const std::uint64_t line = std::min<std::uint64_t>(kept == 0 ? bytes : kept, line_bytes);
    const Picoseconds served = kept == 0
        ? displace(home, bytes, now() + first) - now()
        : serve_node(home, kept, write, cached, now() + first) - service_time(home, line, cached || write) - now();
    const Picoseconds paced = first + pace_of(endpoint, bytes - line, write, way.there + read + way.back);
    const bool spills = kept > 0 && out.bytes() > 0;
    const auto left = std::make_shared<unsigned>(spills ? 3 : 2);
    const auto over = [left, done = std::move(done)] {
        if (--*left == 0) done();
    };
    core_.after(std::max(served, paced) + way.back, over);
    if (spills)  // memory takes what has no room, behind what has
        return core_.after(launch, [this, endpoint, home, kept, spilled = out.bytes(), over] {
            core_.transfer(endpoint, home, kept, true,
                [this, home, spilled, over] { core_.after(displace(home, spilled, now()) - now(), over); });
            core_.transfer(endpoint, home, spilled, true, over);
        });
    core_.after(write ? launch : first,
        [this, endpoint, home, bytes, write, over] { core_.transfer(endpoint, home, bytes, write, over); });
}

void FlowExecutor::move_on_device(std::uint32_t endpoint, std::uint64_t bytes, bool write,
    const BufferHistory::Taken& buffer, Done done)
{
    const GpuSpec& units = endpoints_[endpoint].units;
    auto kernel = std::make_shared<MoveKernel>(buffer.address, bytes, write, spec_.channels,
        static_cast<std::uint32_t>(spec_.wavefronts), static_cast<std::uint32_t>(spec_.unroll),
        static_cast<std::uint32_t>(units.lanes * spec_.vector));
    kernel->cold = !buffer.cached;
    kernel->elsewhere = true;  // each node has the next units in turn
    const Displaces out = displaces(endpoint, bytes, write, buffer.cached);
    kernel->displaces_from = out.from / line_bytes;
    kernel->displaces_to = (out.to + line_bytes - 1) / line_bytes;
    core_.run_kernel(endpoint, std::move(kernel), units.launch_latency,
        [this, endpoint, buffer, then = std::move(done)] {
            give_back(endpoint, buffer);
            then();
        });
}

void FlowExecutor::wait(std::uint32_t, Picoseconds duration, Done done)
{
    require_time_left(now(), duration);
    core_.after(duration, std::move(done));
}

void FlowExecutor::run_gemm(std::uint32_t endpoint, const Gemm& gemm, Done done)
{
    const std::uint64_t bytes = gemm.memory_bytes();
    std::uint64_t address = 0;
    if (!memories_[endpoint].allocate(bytes, address))
        throw InputError("", 0,
            "the matrices of " + format_bytes(bytes) + " do not fit into the memory of an accelerator",
            "a smaller product or a larger hbm.capacity");
    done = [this, endpoint, bytes, address, then = std::move(done)] {
        memories_[endpoint].release(address, bytes);
        then();
    };
    const auto lanes = static_cast<std::uint32_t>(endpoints_[endpoint].units.lanes * spec_.vector);
    core_.run_kernel(endpoint, std::make_shared<GemmKernel>(gemm, address, lanes), core_.ranks().of(endpoint).launch_ps,
        std::move(done));
}

void FlowExecutor::run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done)
{
    require_time_left(now(), work.duration);
    if (core_.has_devices()) return run_shared(endpoint, work, std::move(done));
    const double flops = endpoints_[endpoint].peak_flops;
    Picoseconds length = work.duration;
    if (length == 0 && flops > 0)
        length = static_cast<Picoseconds>(std::llround(static_cast<double>(work.operations) / flops * ps_of_second));
    const Picoseconds begin = std::max(now(), units_free_[endpoint]);
    Picoseconds end = begin + length;
    const BufferHistory::Taken buffer = take(endpoint, work.duration == 0 ? work.bytes : 0, "compute node");
    if (work.duration == 0 && work.bytes > 0)
        end = std::max(end,
            serve(endpoint, work.bytes, buffer.cached, now()) +
                (buffer.cached ? 0 : endpoints_[endpoint].memory_latency));
    units_free_[endpoint] = end;
    core_.after(end - now(), [this, endpoint, buffer, then = std::move(done)] {
        give_back(endpoint, buffer);
        then();
    });
}

// On units that collectives use, too.
void FlowExecutor::run_shared(std::uint32_t endpoint, const KernelWork& work, Done done)
{
    const GpuSpec& units = endpoints_[endpoint].units;
    KernelWork placed = work;
    if (placed.workgroups == 0) placed.workgroups = 2 * units.compute_units;
    require_countable(work.duration == 0 ? work.bytes : 0, "compute node");
    const BufferHistory::Taken buffer = take(endpoint, work.duration == 0 ? work.bytes : 0, "compute node");
    auto kernel = std::make_shared<ShareKernel>(placed, buffer.address, static_cast<std::uint32_t>(spec_.wavefronts),
        static_cast<std::uint32_t>(spec_.unroll), static_cast<std::uint32_t>(units.lanes * spec_.vector),
        buffer.cached);
    if (kernel->groups == 0) return core_.after(0, std::move(done));
    core_.run_kernel(endpoint, std::move(kernel), 0, [this, endpoint, buffer, then = std::move(done)] {
        give_back(endpoint, buffer);
        then();
    });
}

}  // namespace weft
