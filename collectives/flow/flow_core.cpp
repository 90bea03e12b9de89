#include "collectives/flow/flow_core.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/flow/flow_in_switches.h"
#include "collectives/flow/flow_job.h"
#include "collectives/flow/flow_windows.h"
#include "collectives/schedule/stall_lines.h"

namespace weft {

namespace {

constexpr std::uint32_t most_ranks_of_job = (1U << 20) - 2;
constexpr std::size_t most_lines_of_stall = 32;  // of a job
constexpr std::uint64_t events_of_a_question = 1 << 16;

// Slots in which a thread looks for packets at once; 1: one after the other.
std::size_t slots_at_once(const FlowTemplate& program)
{
    std::size_t slots = 0;
    bool before = false;
    bool together = false;
    for (const FlowOp& op : program.ops) {
        const FlowOperand* const sources = program.operands.data() + op.first;
        const auto packets =
            std::count_if(sources, sources + op.sources, [](const FlowOperand& source) { return source.packets; });
        together = together || packets > 1 || (packets > 0 && before && op.has(FlowOp::with_previous));
        before = packets > 0;
        slots += static_cast<std::size_t>(packets);
    }
    return together ? slots : 1;
}

}  // namespace

FlowRanks ranks_of(const CostGraph& graph)
{
    // Names and ports do not count.
    const auto figures = [](const CostRank& rank) {
        CostRank out = rank;
        out.name.clear();
        out.ports.clear();
        return out;
    };
    FlowRanks out;
    for (const CostRank& rank : graph.ranks) {
        CostGraph one;
        one.ranks = {figures(rank)};
        std::size_t kind = 0;
        for (; kind < out.kinds.size(); ++kind) {
            CostGraph other;
            other.ranks = {out.kinds[kind]};
            if (same_costs(one, other)) break;
        }
        if (kind == out.kinds.size()) out.kinds.push_back(one.ranks.front());
        out.kind_of.push_back(static_cast<std::uint16_t>(kind));
    }
    return out;
}

FlowCore::FlowCore(FlowRanks ranks, PathBook& book, FlowProfile profile)
    : ranks_(std::move(ranks)), book_(book), profile_(profile), links_(book, profile.links), buffers_(book, links_),
      turns_(book), windows_(std::make_unique<Windows>(*this)), in_switches_(std::make_unique<InSwitches>(*this))
{
    if (profile_.links.buffers) book_.keep_apart();
}

FlowCore::~FlowCore() = default;

void FlowCore::set_switches(Switches find) { in_switches_->set(std::move(find)); }

void FlowCore::require_switches(const std::string& algorithm) { in_switches_->require(algorithm); }

FlowCore::JobId FlowCore::open(FlowJob what)
{
    const FlowProgram& program = *what.program;
    if (program.ranks() != what.members.size() || program.ranks() > most_ranks_of_job)
        throw InputError("", 0,
            fmt::format("a collective of {} ranks among {} members", program.ranks(), what.members.size()),
            fmt::format("as many members as ranks, at most {}", most_ranks_of_job));
    if (border_ != nullptr) require_known_outside(program);
    if (program.in_switches) in_switches_->require(program.name);
    auto job = std::make_unique<Job>();
    job->chunk_bytes = program.chunks == 0 ? 0.0 : static_cast<double>(what.bytes) / program.chunks;
    if (profile_.links.buffers && what.mover == FlowMover::units) job->first_peers = first_peers_.find(what.program);
    const std::uint32_t ranks = what.one_for_all ? 1 : program.ranks();
    if (what.one_for_all) ties_.watch();
    job->positions.resize(ranks);
    job->positions_left = job->positions_to_enter = ranks;
    if (!program.first.empty()) job->first_of_rank.assign(program.first.begin(), program.first.end() - 1);
    job->thread_count = program.first.empty() ? ranks * program.threads(0) : program.first.back();
    std::uint32_t id = 0;
    if (free_jobs_.empty()) {
        id = static_cast<std::uint32_t>(jobs_.size());
        jobs_.emplace_back();
    } else {
        id = free_jobs_.back();
        free_jobs_.pop_back();
    }
    std::vector<std::uint32_t>& ranges = free_threads_[job->thread_count];
    if (ranges.empty()) {
        job->first_thread = static_cast<std::uint32_t>(threads_.size());
        threads_.resize(threads_.size() + job->thread_count);
    } else {
        job->first_thread = ranges.back();
        ranges.pop_back();
    }
    std::uint32_t index = job->first_thread;
    if (logs()) log_->open(program.operations() / (what.one_for_all ? program.ranks() : 1));
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        job->positions[rank].threads_left = program.threads(rank);
        for (std::uint32_t t = 0; t < program.threads(rank); ++t) {
            Thread fresh;
            fresh.job = job.get();
            fresh.rank = rank;
            fresh.program = &program.templates[program.template_number(rank, t)];
            fresh.endpoint = what.members[rank];
            fresh.cost = &ranks_.of(fresh.endpoint);
            fresh.ended = is_outside(fresh.endpoint);
            if (logs()) log_->add(index, {what.number, rank, t, fresh.endpoint});
            threads_[index++] = fresh;
        }
    }
    job->what = std::move(what);
    find_empty_stores(*job);
    job->id = id;
    jobs_[id] = std::move(job);
    return id;
}

void FlowCore::enter(JobId id, std::uint32_t position, Done done)
{
    Job& job = *jobs_[id];
    job.positions[position].done = std::move(done);
    together_.enter(job.what.members[position], job.part(position));
    --job.positions_to_enter;
    count_crowd(job, position, true);
    const Ps begin = now_ + ranks_.of(job.what.members[position]).launch_ps;
    if (job.last_batch == none || batches_[job.last_batch].time != begin) {
        job.last_batch = batches_.take(Batch{id, begin, {}, 0, {}});
        push(begin, Kind::launch, job.last_batch);
    } else if (by_rank(job)) {
        push(begin, Kind::launch, job.last_batch);
    }
    batches_[job.last_batch].positions.push_back(position);
}

// False: it waits for a place.
bool FlowCore::place_thread(const Job& job, std::uint32_t position, std::uint32_t index)
{
    if (logs()) log_->enter(index, now_ - ranks_.of(job.what.members[position]).launch_ps);
    Thread& thread = threads_[index];
    if (job.program().has_packets) {
        const std::size_t slots = slots_at_once(*thread.program);
        const std::size_t threads = std::size_t{job.program().threads(thread.rank)} * job.what.threads_each;
        thread.packets = packet_steps_.take(PacketSteps(now_, slots > 1 ? slots * threads : 1));
    }
    windows_->begin(index);
    thread.time = now_;
    thread.queued = !finds_place(index);
    if (thread.queued && logs()) log_->queue(index, now_);
    return !thread.queued;
}

// Whether ranks take places one by one, each in the order of what it has launched: it matters for kernels, for lists that wait, and for the
// unit of a bulk copy.
bool FlowCore::by_rank(const Job& job) const { return devices_ != nullptr || job.what.mover != FlowMover::units; }

// Kernels and collectives of a rank that begin in one instant take places in the order in which the rank has launched them. False: other
// ranks of the batch have still to.
bool FlowCore::place_next(Batch& batch)
{
    const Job& job = *jobs_[batch.job];
    const std::uint32_t position = batch.positions[batch.placed++];
    for (std::uint32_t t = 0; t < job.program().threads(position); ++t) {
        const std::uint32_t index = job.thread(position, t);
        if (place_thread(job, position, index)) batch.ready.emplace_back(t, index);
    }
    return batch.placed == batch.positions.size();
}

// The first thread of every rank, then the second: lines of all of them mix.
void FlowCore::launch(std::uint32_t number)
{
    const bool placed = by_rank(*jobs_[batches_[number].job]);
    if (placed && !place_next(batches_[number])) return;
    Batch batch = std::move(batches_[number]);
    batches_.give(number);
    Job& job = *jobs_[batch.job];
    if (job.last_batch == number) job.last_batch = none;
    std::stable_sort(batch.ready.begin(), batch.ready.end(),
        [](const auto& left, const auto& right) { return left.first < right.first; });
    for (const auto& [t, index] : batch.ready) launch_thread(index, now_);
    std::uint32_t most = 0;
    if (!placed)
        for (const std::uint32_t position : batch.positions) most = std::max(most, job.program().threads(position));
    for (std::uint32_t t = 0; t < most; ++t)
        for (const std::uint32_t position : batch.positions)
            if (t < job.program().threads(position)) {
                const std::uint32_t index = job.thread(position, t);
                if (place_thread(job, position, index)) launch_thread(index, now_);
            }
    for (const std::uint32_t position : batch.positions)
        if (job.program().threads(position) == 0) push(now_, Kind::leave, leaving_.take({batch.job, position}));
}

void FlowCore::end_thread(std::uint32_t index)
{
    Thread& thread = threads_[index];
    if (thread.ended || thread.outside > 0) return;
    thread.ended = true;
    if (thread.packets != none) packet_steps_.give(thread.packets);
    Job::Position& position = thread.job->positions[thread.rank];
    position.end = std::max({position.end, thread.time, thread.settled, thread.acknowledged});
    if (logs()) log_end(index);
    leave_place(index, std::max({thread.time, thread.settled, thread.acknowledged}));
    if (--position.threads_left > 0) return;
    push(std::max(now_, position.end), Kind::leave, leaving_.take({thread.job->id, thread.rank}));
}

void FlowCore::leave(std::uint32_t number)
{
    const Leaving leaving = leaving_[number];
    leaving_.give(number);
    Job& job = *jobs_[leaving.job];
    const Done done = std::move(job.positions[leaving.position].done);
    together_.leave(job.what.members[leaving.position], job.part(leaving.position));
    count_crowd(job, leaving.position, false);
    if (--job.positions_left == 0) close(leaving.job);
    if (done) done();
}

void FlowCore::close(JobId id)
{
    free_threads_[jobs_[id]->thread_count].push_back(jobs_[id]->first_thread);
    jobs_[id].reset();
    free_jobs_.push_back(id);
}

void FlowCore::after(Ps delay, Done done) { push(now_ + delay, Kind::timer, timers_.take(std::move(done))); }

void FlowCore::transfer(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done)
{
    const std::uint32_t request = book_.find(endpoint, home);
    const auto all = static_cast<double>(bytes);
    Transfer transfer;
    transfer.flight =
        write ? links_.put(request, endpoint, all, now_) : links_.answer(book_.back(request), home, request, all, now_);
    transfer.flight.loaded = !write;
    shorten(transfer.flight);
    transfer.use = Use::direct;
    transfer.answer = write ? book_.path(request).answer_ps : 0;
    transfer.target = timers_.take(std::move(done));
    launch_transfer(transfer);
}

FlowCore::Way FlowCore::way(std::uint32_t endpoint, std::uint32_t home)
{
    const FlowPath& path = book_.path(book_.find(endpoint, home));
    return {path.put_ps, path.answer_ps};
}

[[gnu::always_inline]] inline void FlowCore::prefetch_links(const EventWheel<13, 16>::Event& event, unsigned turn) const
{
    if (static_cast<Kind>(event.kind) == Kind::resume && turn < 2) {
        const Thread& thread = threads_[event.index];
        if (thread.wait_semaphore == none) return;
        const Job::Semaphore& semaphore = thread.job->semaphores[thread.wait_semaphore];
        if (turn == 0) __builtin_prefetch(&semaphore, 1);
        if (turn == 1 && semaphore.first != none) __builtin_prefetch(&thread.job->nodes[semaphore.first], 1);
        return;
    }
    if (static_cast<Kind>(event.kind) != Kind::hop) return;
    const Transfer& transfer = transfers_[event.index];
    switch (turn) {
    case 0: book_.prefetch_stage(transfer.flight.stage); break;
    case 1:
        book_.prefetch_group(transfer.flight.stage);
        if (transfer.flight.passed + 1 < transfer.flight.stages) break;
        if (transfer.use == Use::signal) {
            const Job* job = jobs_[transfer.job].get();
            if (job != nullptr && transfer.target < job->semaphores.size())
                __builtin_prefetch(&job->semaphores[transfer.target], 1);
        } else if (transfer.thread < threads_.size()) {  // others come from outside
            __builtin_prefetch(&threads_[transfer.thread], 1);
            __builtin_prefetch(reinterpret_cast<const char*>(&threads_[transfer.thread]) + 64, 1);
        }
        break;
    default:
        book_.prefetch_reverse(transfer.flight.stage);
        if (transfer.use == Use::signal && transfer.flight.passed + 1 >= transfer.flight.stages) {
            const Job* job = jobs_[transfer.job].get();
            if (job == nullptr || transfer.target >= job->semaphores.size()) return;
            const std::uint32_t sleeper = job->semaphores[transfer.target].first_sleeper;
            if (sleeper != none) __builtin_prefetch(&job->nodes[sleeper], 1);
        }
    }
}

// A large system's state fits into no cache, so the next line would be waited for at every event. Events of one bucket are known
// ahead: the thread or transfer of one is fetched first, then what it names. Inlined, because the compiler drops calls of a function
// that does nothing else.
[[gnu::always_inline]] inline void FlowCore::prefetch()
{
    using Event = EventWheel<13, 16>::Event;
    if (const Event* event = wheel_.peek(12)) {
        const auto kind = static_cast<Kind>(event->kind);
        if (kind == Kind::hop) {
            __builtin_prefetch(&transfers_[event->index], 1);
            __builtin_prefetch(reinterpret_cast<const char*>(&transfers_[event->index]) + 64, 1);
        } else if (kind == Kind::resume) {
            for (unsigned line = 0; line < 3; ++line)
                __builtin_prefetch(reinterpret_cast<const char*>(&threads_[event->index]) + 64 * line, 1);
        }
    }
    if (const Event* event = wheel_.peek(9)) prefetch_links(*event, 0);
    if (const Event* event = wheel_.peek(6)) prefetch_links(*event, 1);
    if (const Event* event = wheel_.peek(3)) prefetch_links(*event, 2);
}

void FlowCore::run(Ps end, const std::function<bool()>& stop)
{
    while (!wheel_.empty() || buffers_.waiting() > 0) {
        if (wheel_.empty()) {
            buffers_.break_circle(now_);
            after_buffers();
            continue;
        }
        const EventWheel<13, 16>::Event event = wheel_.front();
        if (event.time > end) break;
        wheel_.pop();
        now_ = event.time;
        prefetch();
        switch (static_cast<Kind>(event.kind)) {
        case Kind::resume: run_thread(event.index); break;
        case Kind::hop: hop(event.index); break;
        case Kind::loaded: loaded(event.index); break;
        case Kind::launch: launch(event.index); break;
        case Kind::leave: leave(event.index); break;
        case Kind::wire:
            buffers_.serve(event.index, now_);
            after_buffers();
            break;
        case Kind::piece:
            buffers_.go_on(event.index, now_);
            after_buffers();
            break;
        case Kind::ask: ask_border(event.index); break;
        case Kind::enter: enter_line(event.index); break;
        case Kind::issue: windows_->issue(event.index); break;
        case Kind::issue_more: windows_->issue_more(event.index); break;
        case Kind::device: devices_->event(event.index, now_); break;
        case Kind::come: arrived(event.index); break;
        case Kind::turn: take_turn(event.index); break;
        case Kind::timer: {
            const Done done = std::move(timers_[event.index]);
            timers_[event.index] = nullptr;
            timers_.give(event.index);
            done();
            break;
        }
        }
        if (++events_ % events_of_a_question == 0 && stop && stop()) return;
    }
}

std::string FlowCore::what_waits(const Thread& thread)
{
    const FlowTemplate& program = *thread.program;
    if (thread.next >= program.ops.size()) return "its transfers";
    const FlowOp& op = program.ops[thread.next];
    switch (op.kind) {
    case FlowKind::barrier: return fmt::format("{} threads at barrier {}", op.count, op.semaphore);
    case FlowKind::move: return op.has(FlowOp::loads_packets) ? "packets" : "a step that it depends on";
    default: return "a step that it depends on";
    }
}

std::vector<std::string> FlowCore::blocked() const
{
    std::vector<std::string> out;
    for (const auto& job : jobs_) {
        if (!job || job->positions_to_enter > 0) continue;
        WaitGraph waits(job->program().ranks());
        StallLines lines(job->program().ranks(), job->what.name + ": rank ");
        for (std::uint32_t i = 0; i < job->thread_count; ++i) {
            const Thread& thread = threads_[job->first_thread + i];
            if (thread.ended) continue;
            const FlowTemplate& program = *thread.program;
            const std::string place = fmt::format(" at operation {} waits for ", thread.next);
            if (thread.queued)
                lines.add(thread.rank,
                    job->what.mover == FlowMover::copy ? " has a command list that waits for a copy engine"
                                                       : " has a workgroup that waits for a compute unit");
            else if (thread.next < program.ops.size() && program.ops[thread.next].kind == FlowKind::wait) {
                const std::uint32_t peer = job->program().grid.peer(thread.rank, program.ops[thread.next].peer);
                waits.wait(thread.rank, peer);
                lines.add(thread.rank, place + "a signal of rank ", peer);
            } else {
                lines.add(thread.rank, place + what_waits(thread));
            }
        }
        const std::string circle = waits.circle();
        if (!circle.empty()) out.push_back(fmt::format("{}: {}", job->what.name, circle));
        for (std::string& line : lines.text(most_lines_of_stall)) out.push_back(std::move(line));
    }
    return out;
}

}  // namespace weft
