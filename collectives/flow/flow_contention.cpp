// FlowCore: what a thread's accesses wait for in units, caches and memories that others use, too (flow_devices.h).
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/line_size.h"
#include "collectives/flow/flow_core.h"
#include "collectives/flow/flow_job.h"

namespace weft {

void FlowCore::set_devices(std::vector<DeviceCost> kinds)
{
    devices_ = std::make_unique<FlowDevices>(
        std::move(kinds), ranks_.kind_of, [this](Ps time, std::uint32_t number) { push(time, Kind::device, number); },
        [this](std::uint32_t thread) { launch_thread(thread, threads_[thread].time); }, &held_);
}

void FlowCore::run_kernel(std::uint32_t endpoint, std::shared_ptr<const FlowKernel> kernel, Ps launch, Done done)
{
    devices_->run(endpoint, std::move(kernel), now_ + launch, std::move(done));
}

bool FlowCore::is_cold(const Thread& thread, const FlowOp& op, const FlowOperand& source) const
{
    if (!source.cold) return false;
    const Job& job = *thread.job;
    const std::uint32_t peer = job.program().grid.peer(thread.rank, source.peer);
    return !job.cached(peer) && !finds_lines(thread, op, peer);
}

// Threads of its rank that share units with it.
std::uint32_t FlowCore::threads_at_once(const Thread& thread) const
{
    const std::uint32_t threads = thread.job->program().threads(thread.rank);
    const FlowJob& job = thread.job->what;
    if (!profile_.places || devices_ || job.mover == FlowMover::copy) return threads;
    return std::min(threads, std::max(1U, thread.cost->threads / job.threads_each));
}

bool FlowCore::finds_place(std::uint32_t index)
{
    const Thread& thread = threads_[index];
    const FlowJob& job = thread.job->what;
    if (thread.program->ops.empty() || thread.ended) return true;
    if (job.mover == FlowMover::copy) return finds_engine(index);
    if (!devices_ && !profile_.places) return true;
    const bool found = devices_ ? devices_->enter(index, thread.endpoint)
                                : places_.enter(thread.endpoint, thread.cost->threads, {index, job.threads_each, now_});
    note_place(index, found);
    return found;
}

TransferSide FlowCore::side_of(const Thread& thread)
{
    if (thread.job->program().op != CollectiveOp::send_receive) return TransferSide::none;
    return thread.rank == 0 ? TransferSide::send : TransferSide::receive;
}

void FlowCore::note_place(std::uint32_t index, bool found)
{
    const Thread& thread = threads_[index];
    const std::uint32_t workgroups = thread.job->what.threads_each;
    if (found) {
        held_.take(thread.endpoint, side_of(thread), now_, workgroups);
    } else {
        held_.wait(thread.endpoint, index, side_of(thread), now_, workgroups);
    }
}

PlaceUse FlowCore::places(std::uint32_t endpoint) const
{
    PlaceUse out = held_.use(endpoint);
    if (!devices_ && !profile_.places) return out;
    const CostRank& cost = ranks_.of(endpoint);
    out.units = cost.units;
    out.places = cost.threads;
    return out;
}

// Where nothing waits for a place: whether all that is under way on a rank would have one.
void FlowCore::count_crowd(const Job& job, std::uint32_t position, bool enters)
{
    if (profile_.places || devices_ || job.what.mover == FlowMover::copy) return;
    const std::uint32_t endpoint = job.what.members[position];
    const std::uint64_t workgroups = std::uint64_t{job.program().threads(position)} * job.what.threads_each;
    if (at_once_.size() <= endpoint) at_once_.resize(endpoint + 1);
    std::uint64_t& here = at_once_[endpoint];
    here = enters ? here + workgroups : here - workgroups;
    const std::uint32_t places = ranks_.of(endpoint).threads;
    if (here > places && here > crowd_.workgroups) crowd_ = {here, places};
}

void FlowCore::launch_thread(std::uint32_t index, Ps since)
{
    const bool waited = std::exchange(threads_[index].queued, false);
    if (waited && threads_[index].packets != none) packet_steps_[threads_[index].packets].begin(now_);
    if (waited) held_.begin(index, now_);
    const Thread& thread = threads_[index];
    if (thread.job->what.mover == FlowMover::bulk && !devices_ && !thread.program->ops.empty() && !thread.ended)
        take_engine(index, !waited);
    if (logs()) {
        log_->launch(index, since);
        log_->spend(index, FlowCause::queued, now_);
    }
    resume(index, now_ + turn_at_launch(index));
}

// It keeps its place until its last signal is acknowledged.
void FlowCore::leave_place(std::uint32_t index, Ps end)
{
    const Thread& thread = threads_[index];
    if (thread.program->ops.empty()) return;
    const FlowJob& job = thread.job->what;
    if (job.mover == FlowMover::copy) return after(end - std::min(end, now_), [this, index] { leave_engine(index); });
    if (devices_) return leave_unit(index, end);
    if (!profile_.places && job.mover == FlowMover::units) return;
    after(end - std::min(end, now_),
        [this, index, endpoint = thread.endpoint, places = thread.cost->threads, workgroups = job.threads_each,
            side = side_of(thread)] {
            leave_engine(index);
            if (!profile_.places) return;
            held_.give_back(endpoint, side, now_, workgroups);
            places_.leave(endpoint, places, workgroups,
                [this](const FlowPlaces::Waiting& next) { launch_thread(next.thread, next.since); });
        });
}

void FlowCore::leave_unit(std::uint32_t index, Ps end)
{
    const std::uint32_t endpoint = threads_[index].endpoint;
    const std::uint32_t unit = devices_->take_unit(index);
    if (unit == FlowDevices::none) return;
    const TransferSide side = side_of(threads_[index]);
    const std::uint32_t workgroups = threads_[index].job->what.threads_each;
    after(end - std::min(end, now_), [this, unit, endpoint, side, workgroups] {
        held_.give_back(endpoint, side, now_, workgroups);
        devices_->leave(unit, endpoint, now_);
    });
}

// Delays what the thread loads from its own memory, packets among it. Returns the time over which its lines are issued or served,
// whichever is longer.
FlowCore::Ps FlowCore::share_load(std::uint32_t index, const FlowOp& op, MoveLoad& load)
{
    const Thread& thread = threads_[index];
    const FlowOperand* const sources = thread.program->operands.data() + op.first;
    const auto packets = static_cast<std::uint32_t>(
        std::count_if(sources, sources + op.sources, [](const FlowOperand& source) { return source.packets; }));
    const double packed = load.bytes * packets;
    const double own = load.data * op.own_sources;
    const double bytes = own + packed + load.data * (op.sources - packets);
    FlowDevices::Delay issued;
    if (bytes > 0 && !is_copy(thread, op)) issued = devices_->issue(index, thread.endpoint, bytes, load.load_ps, now_);
    FlowDevices::Delay served;
    if (own + packed > 0) {
        const bool cold = own_data(thread, op) == OwnData::in_memory;
        served = devices_->access(thread.endpoint, own + packed, cold, now_);
    }
    load.load_ps += issued.first + served.first;
    return std::max(issued.last - issued.first, served.last - served.first);
}

void FlowCore::share_store(const Move& move, const FlowOp& op, Ps& from, Ps& ready)
{
    const Thread& thread = threads_[move.thread];
    if (move.bytes > 0 && !is_copy(thread, op)) {
        const bool held = op.destinations > 0 && !op.has(FlowOp::stores_group);
        const FlowDevices::Delay issued = devices_->issue(move.thread, thread.endpoint, move.bytes * op.copies(),
            held ? 0 : thread.cost->load_ps, now_);
        from += issued.first;
        ready += issued.last;
    }
    if (op.own_destinations > 0) devices_->access(thread.endpoint, move.bytes * op.own_destinations, false, now_);
}

// When memory has read the last line of a copy at its own place whose first one is there at `from`: copies share the rate of the memory in
// the order of their moves. Only of jobs of one rank: elsewhere others may have read the same lines.
FlowCore::Ps FlowCore::read_by(const Move& move, const FlowOp& op, Ps from)
{
    const Thread& thread = threads_[move.thread];
    const bool own = op.own_sources > 0 && op.sources + op.destinations == 0;
    if (!own || thread.job->program().ranks() > 1) return from;
    if (!op.has(FlowOp::own_cold) || op.behind > 0 || thread.job->cached(thread.rank)) return from;
    if (finds_lines(thread, op, thread.rank)) return from;
    if (devices_) {  // wavefronts have met the others in share_load()
        if (!is_copy(thread, op)) return from;
        return std::max(from, now_ + move.load_ps + devices_->read(thread.endpoint, move.bytes, now_));
    }
    const double line_ps = ranks_.line_from_memory_ps(thread.endpoint);
    const double lines = std::ceil(move.bytes / static_cast<double>(line_bytes));
    if (lines <= 0 || line_ps <= 0) return from;
    if (memory_free_.empty()) memory_free_.resize(ranks_.size());
    double& free = memory_free_[thread.endpoint];
    free = std::max(free, static_cast<double>(from)) + lines * line_ps;
    return static_cast<Ps>(std::llround(free - line_ps));
}

// All of a transfer, or of its acknowledge, is there at `end`.
void FlowCore::let_go(const Transfer& transfer, Ps end)
{
    devices_->let_go(transfer.thread, threads_[transfer.thread].endpoint, transfer.flight.bytes, end);
}

// Its last link is behind it; how long it waits at an L2 that kernels use is known when it comes there.
bool FlowCore::comes_later(std::uint32_t number)
{
    Transfer& transfer = transfers_[number];
    const bool waits = (transfer.use == Use::put && transfer.target == none) || transfer.use == Use::signal;
    if (transfer.come || !waits) return false;
    const Ps at =
        devices_->come_ps(book_.path(transfer.flight.path).to, std::max(transfer.flight.tail_ps, transfer.earliest));
    if (at <= now_) return false;
    transfer.come = true;
    push(at, Kind::come, number);
    return true;
}

// How long data and signals that have come to a rank wait for its L2.
FlowCore::Ps FlowCore::late_arrival(const Transfer& transfer)
{
    if (transfer.use != Use::put && transfer.use != Use::signal) return 0;
    const std::uint32_t to = book_.path(transfer.flight.path).to;
    return devices_->access(to, transfer.use == Use::signal ? 1 : transfer.flight.bytes, false, now_).last;
}

}  // namespace weft
