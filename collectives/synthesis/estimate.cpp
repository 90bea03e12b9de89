#include "collectives/synthesis/estimate.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "collectives/schedule/order.h"
#include "collectives/synthesis/link_clock.h"
#include "collectives/synthesis/thread_pace.h"

namespace weft {

namespace {

using Ps = std::uint64_t;

class Player {
public:
    Player(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options)
        : schedule_(schedule), graph_(graph), numbering_(schedule), threads_(numbering_.threads()),
          semaphores_(numbering_.semaphores()), meetings_(numbering_.barriers()), clock_(graph),
          each_(std::max(1U, options.threads_each)),
          chunk_bytes_(schedule.chunks == 0 ? 0.0 : static_cast<double>(options.bytes) / schedule.chunks)
    {
        for (std::uint32_t t = 0; t < threads_.size(); ++t) {
            const StepAt owner = numbering_.owner(t);
            threads_[t].rank = owner.rank;
            threads_[t].steps = &schedule.ranks[owner.rank].threads[owner.thread].steps;
            for (const Step& step : *threads_[t].steps)
                for (const StepId& id : step.after)
                    depended_.try_emplace(key(numbering_.thread(owner.rank, id.thread), id.step));
        }
    }

    Estimate play()
    {
        // The first thread of every rank, then the second: lines of all of them mix.
        std::size_t most = 0;
        for (const RankPlan& plan : schedule_.ranks) most = std::max(most, plan.threads.size());
        for (std::uint32_t t = 0; t < most; ++t)
            for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank)
                if (t < schedule_.ranks[rank].threads.size()) resume(numbering_.thread(rank, t), 0);
        while (!events_.empty() && !unpriced_) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            switch (event.kind) {
            case Kind::resume: run(event.index); break;
            case Kind::hop: hop(event.index); break;
            case Kind::loaded: loaded(event.index); break;
            }
        }
        return result();
    }

private:
    enum class Kind : std::uint8_t { resume, hop, loaded };
    struct Event {
        Ps time;
        std::uint64_t order;
        Kind kind;
        std::uint32_t index;
        bool operator<(const Event& other) const
        {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    struct Thread {
        const std::vector<Step>* steps = nullptr;
        std::uint32_t rank = 0;
        std::uint32_t next = 0;
        Ps time = 0;
        Ps settled = 0;               // all stores so far are acknowledged
        std::uint32_t in_flight = 0;  // transfers whose end is not known yet
        std::uint32_t loading = 0;    // moves whose loads are not back
        std::uint32_t base = 0;       // length of the chain of transfers that what follows depends on
        std::uint32_t depth = 0;      // and with this thread's own
        bool blocked = false;         // for in_flight and loading
    };
    enum class Use : std::uint8_t { put, get, signal };
    struct Transfer {
        Flight flight;
        Use use = Use::put;
        std::uint32_t thread = 0;
        std::uint32_t target = 0;  // semaphore; of a get: move
        Ps earliest = 0;           // end, for all that the thread can issue
        Ps answer = 0;
        std::uint32_t depth = 0;
        std::uint32_t to = 0;      // of a signal
    };
    struct Move {
        const Step* step = nullptr;
        std::uint32_t thread = 0;
        std::uint32_t pending = 0;
        double bytes = 0;
        Ps loaded = 0;
    };
    struct Arrival {
        Ps time;
        std::uint32_t depth;
    };
    struct Semaphore {
        std::vector<Arrival> arrived;
        std::size_t taken = 0;
        std::vector<std::uint32_t> sleepers;
        std::size_t woken = 0;
    };
    struct Dependency {
        bool done = false;
        Ps time = 0;
        std::uint32_t depth = 0;
        std::vector<std::uint32_t> sleepers;
    };

    static std::uint64_t key(std::uint32_t thread, std::uint32_t step) { return std::uint64_t{thread} << 32 | step; }
    void push(Ps time, Kind kind, std::uint32_t index) { events_.push({time, order_++, kind, index}); }
    void resume(std::uint32_t thread, Ps time) { push(time, Kind::resume, thread); }
    const CostRank& rank_of(const Thread& thread) const { return graph_.ranks[thread.rank]; }

    // False: the thread goes on when all it has under way has ended.
    bool settle(Thread& thread)
    {
        if (thread.in_flight > 0 || thread.loading > 0) {
            thread.blocked = true;
            return false;
        }
        thread.time = std::max(thread.time, thread.settled);
        return true;
    }

    void unblock(std::uint32_t index)
    {
        Thread& thread = threads_[index];
        if (!thread.blocked || thread.in_flight > 0 || thread.loading > 0) return;
        thread.blocked = false;
        resume(index, std::max({now_, thread.time, thread.settled}));
    }

    void run(std::uint32_t index)
    {
        Thread& thread = threads_[index];
        thread.time = std::max(thread.time, now_);
        while (thread.next < thread.steps->size()) {
            const Step& step = (*thread.steps)[thread.next];
            // What others do meanwhile takes its place at the links first.
            if (thread.time > now_) return resume(index, thread.time);
            if (!dependencies_met(index, step)) return;
            const auto followers = depended_.empty() ? depended_.end() : depended_.find(key(index, thread.next));
            if (is_data(step.kind)) {
                const bool run_goes_on =
                    thread.next + 1 < thread.steps->size() && (*thread.steps)[thread.next + 1].with_previous;
                if (!step.with_previous && thread.loading > 0 && !settle(thread)) return;
                unpriced_ = unpriced_ || !has_price(step);
                if (unpriced_) return;
                move(index, step, run_goes_on);
            } else if (step.kind == StepKind::signal) {
                if (!settle(thread)) return;
                if (thread.time > now_) continue;
                signal(index, step);
            } else if (step.kind == StepKind::wait) {
                if (!wait(index, step)) return;
            } else if (step.kind == StepKind::barrier) {
                if (!settle(thread)) return;
                ++thread.next;
                if (!meet(index, step)) return;
                continue;
            }
            ++thread.next;
            if (followers != depended_.end() && !publish(index, followers->second)) return;
        }
    }

    bool dependencies_met(std::uint32_t index, const Step& step)
    {
        Thread& thread = threads_[index];
        for (const StepId& id : step.after) {
            Dependency& dependency = depended_[key(numbering_.thread(thread.rank, id.thread), id.step)];
            if (!dependency.done) {
                dependency.sleepers.push_back(index);
                return false;
            }
            thread.time = std::max(thread.time, dependency.time);
            thread.base = std::max(thread.base, dependency.depth);
            thread.depth = std::max(thread.depth, thread.base);
        }
        return true;
    }

    // The step before thread.next is complete for those who wait for it, if all stores are acknowledged.
    bool publish(std::uint32_t index, Dependency& dependency)
    {
        Thread& thread = threads_[index];
        const auto tell = [&](Ps at) {
            dependency.done = true;
            dependency.time = at + rank_of(thread).load_ps + rank_of(thread).notice_ps;
            dependency.depth = thread.depth;
            for (const std::uint32_t sleeper : dependency.sleepers) resume(sleeper, dependency.time);
        };
        if (settle(thread)) {
            tell(thread.time);
            return true;
        }
        unpublished_.emplace(index, &dependency);
        return false;
    }

    // Not what switches carry out, nor packets.
    static bool has_price(const Step& step)
    {
        for (const std::vector<ChunkRef>* operands : {&step.sources, &step.destinations})
            for (const ChunkRef& chunk : *operands)
                if (chunk.buffer == Buffer::packets) return false;
        return step.kind == StepKind::move;
    }

    // What a move loads and how far it stores; the number of its loads from peers.
    std::uint32_t weigh(const Thread& thread, const Step& step, MoveLoad& load) const
    {
        const CostRank& self = rank_of(thread);
        std::uint32_t gets = 0;
        load.bytes = chunk_bytes_ * step.sources.front().count / step.parts;
        load.operands = static_cast<double>(step.sources.size() + step.destinations.size());
        load.round_ps = self.load_ps;
        for (const ChunkRef& source : step.sources) {
            const Ps cold = source.buffer == Buffer::input ? graph_.ranks[source.rank].cold_ps : 0;
            const CostPath& path = graph_.path(thread.rank, source.rank);
            const bool own = source.rank == thread.rank;
            load.load_ps = std::max(load.load_ps, cold + (own ? self.load_ps : path.put_ps + path.answer_ps));
            if (!own) ++gets;
        }
        if (gets > 0) load.round_ps = std::max(load.round_ps, load.load_ps);
        load.remote = gets;
        for (const ChunkRef& destination : step.destinations) {
            if (destination.rank == thread.rank) continue;
            const CostPath& path = graph_.path(thread.rank, destination.rank);
            load.round_ps = std::max(load.round_ps, path.put_ps + path.answer_ps);
            load.remote += 1;
        }
        return gets;
    }

    void move(std::uint32_t index, const Step& step, bool run_goes_on)
    {
        Thread& thread = threads_[index];
        MoveLoad load;
        const std::uint32_t gets = weigh(thread, step, load);
        const ThreadPace pace(rank_of(thread), schedule_.ranks[thread.rank].threads.size(), each_);
        const Ps issue = pace.issue_ps(load);
        if (load.remote > 0) thread.depth = std::max(thread.depth, thread.base + 1);
        note_alpha(thread, step);

        const Move record{&step, index, gets, load.bytes, thread.time + load.load_ps};
        if (gets == 0) {
            store(record, thread.time + load.load_ps, issue);
            thread.time += run_goes_on ? pace.turn_ps(load) : load.load_ps + issue;
            return;
        }
        const std::uint32_t number = take(moves_, free_moves_, record);
        ++thread.loading;
        for (const ChunkRef& source : step.sources) {
            if (source.rank == thread.rank) continue;
            const CostPath& request = graph_.path(thread.rank, source.rank);
            Transfer transfer;
            transfer.flight = LinkClock::answer(graph_.path(source.rank, thread.rank), request, load.bytes,
                thread.time + request.put_ps);
            transfer.use = Use::get;
            transfer.thread = index;
            transfer.target = number;
            transfer.earliest = thread.time + load.load_ps + issue;
            launch(transfer);
        }
        thread.time += pace.turn_ps(load);
    }

    void note_alpha(const Thread& thread, const Step& step)
    {
        const auto note = [&](std::uint32_t from, std::uint32_t to) {
            if (from != to) alpha_ = std::max(alpha_, step_ps(graph_, from, to));
        };
        for (const ChunkRef& source : step.sources) note(source.rank, thread.rank);
        for (const ChunkRef& destination : step.destinations) note(thread.rank, destination.rank);
    }

    void store(const Move& move, Ps from, Ps issue)
    {
        Thread& thread = threads_[move.thread];
        for (const ChunkRef& destination : move.step->destinations) {
            if (destination.rank == thread.rank) {
                thread.settled = std::max(thread.settled, from + issue + rank_of(thread).load_ps);
                continue;
            }
            const CostPath& path = graph_.path(thread.rank, destination.rank);
            Transfer transfer;
            transfer.flight = LinkClock::put(path, move.bytes, from);
            transfer.thread = move.thread;
            transfer.earliest = from + issue + path.put_ps;
            transfer.answer = path.answer_ps;
            ++thread.in_flight;
            launch(transfer);
        }
    }

    void loaded(std::uint32_t number)
    {
        const Move move = moves_[number];
        free_moves_.push_back(number);
        Thread& thread = threads_[move.thread];
        --thread.loading;
        store(move, now_, 0);
        if (thread.in_flight == 0) thread.settled = std::max(thread.settled, now_);
        finish_blocked(move.thread);
    }

    void signal(std::uint32_t index, const Step& step)
    {
        Thread& thread = threads_[index];
        const std::uint32_t semaphore = numbering_.semaphore(step.peer, step.semaphore);
        if (step.peer == thread.rank) return arrive(semaphore, thread.rank, thread.time + rank_of(thread).load_ps, thread.depth);
        const CostPath& path = graph_.path(thread.rank, step.peer);
        alpha_ = std::max(alpha_, path.put_ps + graph_.ranks[step.peer].notice_ps);
        Transfer transfer;
        transfer.flight = LinkClock::put(path, 0, thread.time);
        transfer.use = Use::signal;
        transfer.thread = index;
        transfer.target = semaphore;
        transfer.depth = thread.depth;
        transfer.to = step.peer;
        launch(transfer);
        last_ = std::max(last_, thread.time + path.put_ps + path.answer_ps);
    }

    void arrive(std::uint32_t number, std::uint32_t rank, Ps time, std::uint32_t depth)
    {
        Semaphore& semaphore = semaphores_[number];
        semaphore.arrived.push_back({time, depth});
        if (semaphore.woken >= semaphore.sleepers.size()) return;
        resume(semaphore.sleepers[semaphore.woken++], std::max(now_, time + graph_.ranks[rank].notice_ps));
    }

    bool wait(std::uint32_t index, const Step& step)
    {
        Thread& thread = threads_[index];
        Semaphore& semaphore = semaphores_[numbering_.semaphore(thread.rank, step.semaphore)];
        if (semaphore.taken == semaphore.arrived.size()) {
            semaphore.sleepers.push_back(index);
            return false;
        }
        const Arrival arrival = semaphore.arrived[semaphore.taken];
        const Ps noticed = arrival.time + rank_of(thread).notice_ps;
        ++semaphore.taken;
        // It takes a look at least.
        thread.time = std::max(thread.time + rank_of(thread).load_ps, noticed);
        thread.base = std::max(thread.base, arrival.depth);
        thread.depth = std::max(thread.depth, thread.base);
        return true;
    }

    bool meet(std::uint32_t index, const Step& step)
    {
        const Thread& thread = threads_[index];
        std::vector<std::uint32_t>& there = meetings_[numbering_.barrier(thread.rank, step.semaphore)];
        there.push_back(index);
        if (there.size() < step.participants) return false;
        std::uint32_t depth = 0;
        for (const std::uint32_t other : there) depth = std::max(depth, threads_[other].depth);
        for (const std::uint32_t other : there) {
            threads_[other].base = threads_[other].depth = depth;
            resume(other, thread.time + rank_of(thread).load_ps + rank_of(thread).notice_ps);
        }
        there.clear();
        return false;
    }

    void launch(const Transfer& transfer)
    {
        push(transfer.flight.head_ps, Kind::hop, take(transfers_, free_transfers_, transfer));
    }

    void hop(std::uint32_t number)
    {
        if (clock_.pass(transfers_[number].flight)) return push(transfers_[number].flight.head_ps, Kind::hop, number);
        arrived(number);
    }

    void arrived(std::uint32_t number)
    {
        const Transfer transfer = transfers_[number];
        free_transfers_.push_back(number);
        const Ps tail = std::max(transfer.flight.tail_ps, transfer.earliest);
        last_ = std::max(last_, tail);
        if (transfer.use == Use::signal)
            return arrive(transfer.target, transfer.to, tail, transfer.depth);
        Thread& thread = threads_[transfer.thread];
        if (transfer.use == Use::get) {
            Move& move = moves_[transfer.target];
            move.loaded = std::max(move.loaded, tail);
            if (--move.pending == 0) push(std::max(now_, move.loaded), Kind::loaded, transfer.target);
            return;
        }
        --thread.in_flight;
        thread.settled = std::max(thread.settled, tail + transfer.answer);
        finish_blocked(transfer.thread);
    }

    // Steps that wait for a step of this thread are told when what it stored is acknowledged.
    void finish_blocked(std::uint32_t index)
    {
        Thread& thread = threads_[index];
        if (thread.in_flight > 0 || thread.loading > 0) return;
        const auto waiting = unpublished_.find(index);
        if (waiting != unpublished_.end()) {
            Dependency& dependency = *waiting->second;
            unpublished_.erase(waiting);
            thread.blocked = true;
            publish(index, dependency);
        }
        unblock(index);
    }

    template <class T>
    static std::uint32_t take(std::vector<T>& pool, std::vector<std::uint32_t>& unused, const T& value)
    {
        if (unused.empty()) {
            pool.push_back(value);
            return static_cast<std::uint32_t>(pool.size() - 1);
        }
        const std::uint32_t number = unused.back();
        unused.pop_back();
        pool[number] = value;
        return number;
    }

    Estimate result()
    {
        Estimate out;
        Ps end = last_;
        for (const Thread& thread : threads_) {
            if (thread.next < thread.steps->size()) out.runs = false;
            end = std::max({end, thread.time, thread.settled});
            out.steps = std::max(out.steps, thread.depth);
        }
        if (unpriced_) out.runs = false;
        Ps launch = 0;
        for (const CostRank& rank : graph_.ranks) launch = std::max(launch, rank.launch_ps);
        out.time_ps = end + launch;
        out.alpha_ps = alpha_;
        for (std::size_t link = 0; link < graph_.links.size(); ++link) {
            if (clock_.busy()[link] <= out.busiest_ps) continue;
            out.busiest = static_cast<std::int64_t>(link);
            out.busiest_ps = clock_.busy()[link];
            out.busiest_bytes = clock_.payload()[link];
        }
        return out;
    }

    const Schedule& schedule_;
    const CostGraph& graph_;
    Numbering numbering_;
    std::vector<Thread> threads_;
    std::vector<Semaphore> semaphores_;
    std::vector<std::vector<std::uint32_t>> meetings_;
    LinkClock clock_;
    std::uint32_t each_;
    double chunk_bytes_;
    std::unordered_map<std::uint64_t, Dependency> depended_;
    std::unordered_map<std::uint32_t, Dependency*> unpublished_;
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> free_transfers_;
    std::vector<Move> moves_;
    std::vector<std::uint32_t> free_moves_;
    std::priority_queue<Event> events_;
    std::uint64_t order_ = 0;
    Ps now_ = 0;
    Ps last_ = 0;
    Ps alpha_ = 0;
    bool unpriced_ = false;
};

}  // namespace

std::uint64_t data_steps(const Schedule& schedule)
{
    std::uint64_t steps = 0;
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (is_data(step.kind)) steps += step.sources.size() + step.destinations.size() - 1;
    return steps;
}

Estimate estimate(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options)
{
    return Player(schedule, graph, options).play();
}

}  // namespace weft
