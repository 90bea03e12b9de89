#include "collectives/plans/longest_chain.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace weft {

namespace {

constexpr std::size_t nothing = ~std::size_t{0};

// The longest chain behind some point, by its last transfer.
struct Chain {
    std::uint32_t length = 0;
    std::size_t last = nothing;
};

void raise(Chain& chain, const Chain& other)
{
    if (other.length > chain.length) chain = other;
}

bool reaches_others(const Step& step, std::uint32_t rank)
{
    const auto elsewhere = [rank](const ChunkRef& ref) { return ref.rank != rank; };
    return is_data(step.kind) &&
        (step.kind != StepKind::move || std::any_of(step.sources.begin(), step.sources.end(), elsewhere) ||
            std::any_of(step.destinations.begin(), step.destinations.end(), elsewhere));
}

// What comes from another thread is preferred to what was there: it says more.
void join(Chain& chain, const Chain& other)
{
    if (other.length > 0 && other.length >= chain.length) chain = other;
}

// Signals of one semaphore, by sender. With several senders, the k-th wait proves only those signals without which k
// could not have come.
struct Semaphore {
    std::map<std::uint32_t, std::uint64_t> totals;
    std::map<std::uint32_t, std::vector<Chain>> sent;
    std::uint64_t total = 0;
    std::uint64_t waits = 0;
};

class Walker {
public:
    explicit Walker(const Schedule& schedule)
        : schedule_(schedule), numbering_(schedule), threads_(numbering_.threads()),
          semaphores_(numbering_.semaphores())
    {
        for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
            for (std::uint32_t t = 0; t < schedule.ranks[rank].threads.size(); ++t)
                for (const Step& step : schedule.ranks[rank].threads[t].steps) {
                    if (step.kind != StepKind::signal) continue;
                    Semaphore& semaphore = semaphores_[numbering_.semaphore(step.peer, step.semaphore)];
                    ++semaphore.totals[numbering_.thread(rank, t)];
                    ++semaphore.total;
                }
    }

    std::vector<StepAt> longest()
    {
        const std::vector<StepAt> steps = legal_order(schedule_, numbering_).steps;
        for (std::size_t i = 0; i < steps.size();) {
            const Step& step = step_at(schedule_, steps[i]);
            const std::size_t together = step.kind == StepKind::barrier ? step.participants
                : step.kind == StepKind::push_reduce                    ? step.destinations.size()
                                                                        : 1;
            const std::size_t end = std::min(i + together, steps.size());
            Chain all;
            for (std::size_t k = i; k < end; ++k) {
                start(steps[k]);
                raise(all, thread_of(steps[k]).begin);
            }
            for (; i < end; ++i) {
                if (together > 1) raise(thread_of(steps[i]).begin, all);
                finish(steps[i]);
            }
        }
        Chain best;
        for (const State& thread : threads_) raise(best, thread.done);
        std::vector<StepAt> out;
        for (std::size_t at = best.last; at != nothing; at = transfers_[at].before) out.push_back(transfers_[at].step);
        std::reverse(out.begin(), out.end());
        return out;
    }

private:
    struct State {
        Chain begin;
        Chain done;
        std::vector<Chain> behind;  // by step
    };
    struct Transfer {
        StepAt step;
        std::size_t before;
    };
    struct Packet {
        std::uint32_t part;
        std::uint32_t parts;
        Chain chain;
    };

    State& thread_of(StepAt at) { return threads_[numbering_.thread(at.rank, at.thread)]; }

    void start(StepAt at)
    {
        const Step& step = step_at(schedule_, at);
        State& thread = thread_of(at);
        if (!step.with_previous) thread.begin = thread.done;
        for (const StepId& id : step.after)
            join(thread.begin, threads_[numbering_.thread(at.rank, id.thread)].behind[id.step]);
        if (step.kind == StepKind::wait) wait(thread, numbering_.semaphore(at.rank, step.semaphore));
        if (!is_data(step.kind)) return;
        for (const ChunkRef& source : step.sources)
            for (std::uint32_t i = 0; source.buffer == Buffer::packets && i < source.count; ++i)
                read(thread, step, packets_[{source.rank, source.index + i}]);
    }

    void finish(StepAt at)
    {
        const Step& step = step_at(schedule_, at);
        State& thread = thread_of(at);
        Chain end = thread.begin;
        if (reaches_others(step, at.rank)) {
            transfers_.push_back({at, end.last});
            end = {end.length + 1, transfers_.size() - 1};
        }
        join(thread.done, end);
        thread.behind.push_back(thread.done);
        if (step.kind == StepKind::signal)
            semaphores_[numbering_.semaphore(step.peer, step.semaphore)]
                .sent[numbering_.thread(at.rank, at.thread)]
                .push_back(thread.done);
        if (!is_data(step.kind)) return;
        for (const ChunkRef& destination : step.destinations)
            for (std::uint32_t i = 0; destination.buffer == Buffer::packets && i < destination.count; ++i)
                packets_[{destination.rank, destination.index + i}].push_back({step.part, step.parts, end});
    }

    void wait(State& thread, std::uint32_t number)
    {
        Semaphore& semaphore = semaphores_[number];
        ++semaphore.waits;
        for (const auto& [sender, chains] : semaphore.sent) {
            const std::uint64_t others = semaphore.total - semaphore.totals.at(sender);
            if (semaphore.waits <= others || chains.empty()) continue;
            join(thread.begin, chains[std::min<std::uint64_t>(semaphore.waits - others, chains.size()) - 1]);
        }
    }

    static void read(State& thread, const Step& step, const std::vector<Packet>& stored)
    {
        const auto alike = [&step](
                               const Packet& packet) { return packet.part == step.part && packet.parts == step.parts; };
        const bool any = std::any_of(stored.begin(), stored.end(), alike);
        for (const Packet& packet : stored)
            if (!any || alike(packet)) join(thread.begin, packet.chain);
    }

    const Schedule& schedule_;
    Numbering numbering_;
    std::vector<State> threads_;
    std::vector<Semaphore> semaphores_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Packet>> packets_;  // by rank and slot
    std::vector<Transfer> transfers_;
};

std::string ranks_text(const std::vector<ChunkRef>& refs)
{
    std::vector<std::uint32_t> ranks;
    for (const ChunkRef& ref : refs) ranks.push_back(ref.rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::string out;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        out += fmt::format("{}{}", out.empty() ? "" : ",", ranks[i]);
        if (last > i) out += fmt::format("-{}", ranks[last]);
        i = last + 1;
    }
    return out;
}

std::string chunks_text(const Plan& plan, const ChunkRef& ref)
{
    if (!plan.first_arrival.empty() &&
        (ref.buffer == Buffer::packets || (ref.buffer == Buffer::scratch && ref.index >= plan.first_arrival[ref.rank])))
        return "what arrived";
    const std::string name = fmt::format("{} {}", name_of(ref.buffer), ref.index);
    return ref.count == 1 ? name : fmt::format("{}-{}", name, ref.index + ref.count - 1);
}

}  // namespace

std::vector<StepAt> longest_chain(const Schedule& schedule) { return Walker(schedule).longest(); }

std::string transfer_text(const Plan& plan, StepAt at)
{
    const Step& step = step_at(plan.schedule, at);
    std::string route;
    std::string data;
    for (const ChunkRef& source : step.sources) data += (data.empty() ? "" : " + ") + chunks_text(plan, source);
    if (in_switch(step.kind)) {
        route = fmt::format("ranks {} -> switch -> {}", ranks_text(step.sources), ranks_text(step.destinations));
        data = chunks_text(plan, step.sources.front());
    } else {
        const auto is_remote = [&at](const ChunkRef& ref) { return ref.rank != at.rank; };
        std::vector<ChunkRef> loaded;
        std::vector<ChunkRef> stored;
        std::copy_if(step.sources.begin(), step.sources.end(), std::back_inserter(loaded), is_remote);
        std::copy_if(step.destinations.begin(), step.destinations.end(), std::back_inserter(stored), is_remote);
        route = fmt::format("rank {}", at.rank);
        if (!loaded.empty()) route += " <- " + ranks_text(loaded);
        if (!stored.empty()) route += " -> " + ranks_text(stored);
    }
    std::string out = route + ": " + data;
    if (step.parts > 1) out += fmt::format(", part {} of {}", step.part, step.parts);
    return out;
}

}  // namespace weft
