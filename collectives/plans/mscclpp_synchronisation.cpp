// Barriers, signals, waits and semaphores of an MSCCL++ plan, and whether they even out.
#include "collectives/plans/mscclpp_lowering.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/plans/plan_limits.h"

namespace weft {

void MscclppLowering::synchronise(const JsonValue& op, const std::string& name)
{
    if (name == "nop") {
        run_.clear();
    } else if (name == "flush") {
        only_on_ports(op, name);
        flush();
    } else if (name == "barrier") {
        Step step;
        step.kind = StepKind::barrier;
        step.semaphore = barrier_semaphore(fields_.number(op, "barrier_id", most_plan_chunks));
        step.participants = static_cast<std::uint32_t>(fields_.number(op, "num_threadblocks", most_plan_chunks));
        add(std::move(step));
    } else if (name == "sem_acquire" || name == "sem_release") {
        semaphores(op, name == "sem_acquire");
    } else {
        const std::vector<Step>& steps = schedule_.ranks[rank_].threads[thread_].steps;
        const std::size_t before = steps.size();
        signals(op, name == "wait" || name == "rlxwait");
        if (name == "signal" || name == "wait") return;
        for (std::size_t s = before; s < steps.size(); ++s)
            plan_.relaxed.push_back({rank_, thread_, static_cast<std::uint32_t>(s)});
    }
}

std::uint32_t MscclppLowering::channel_semaphore(std::uint32_t rank, MscclppChannel type, std::uint32_t channel) const
{
    const std::size_t before = type == MscclppChannel::port ? source_.gpus[rank].peers[0].size() : 0;
    return static_cast<std::uint32_t>(before + channel);
}

std::uint32_t MscclppLowering::block_semaphore(std::uint64_t index) const
{
    return static_cast<std::uint32_t>(gpu_->peers[0].size() + gpu_->peers[1].size() + index);
}

std::uint32_t MscclppLowering::barrier_semaphore(std::uint64_t id)
{
    const auto [found, added] = barriers_.emplace(id, schedule_.ranks[rank_].semaphores);
    if (added) ++schedule_.ranks[rank_].semaphores;
    return found->second;
}

std::optional<std::uint32_t> MscclppLowering::resolved(const std::vector<std::uint32_t>& table, std::uint64_t index,
    int line, const std::string& what)
{
    if (index < table.size()) return table[index];
    problem(line,
        fmt::format("{} {} in threadblock {} of gpu {}, which has {}", what, index, block_->id, rank_, table.size()),
        "an index into the lists of the threadblock");
    return std::nullopt;
}

void MscclppLowering::signals(const JsonValue& op, bool wait)
{
    const MscclppChannel type = fields_.channel(op, "channel_type");
    if (type == MscclppChannel::multimem)
        return problem(op.line, "a signal on a switch channel", "a memory or port channel");
    const auto t = static_cast<unsigned>(type);
    const std::vector<std::uint32_t> ids = fields_.numbers(op, "channel_ids");
    if (ids.empty())
        return problem(op.line, fmt::format("a {} on no channel", wait ? "wait" : "signal"), "'channel_ids'");
    for (const std::uint32_t id : ids) {
        const auto channel = resolved(block_->channels[t], id, op.line, fmt::format("{} channel", name_of(type)));
        if (!channel) continue;
        const std::uint32_t peer = gpu_->peers[t][*channel];
        if (wait) {
            const std::uint32_t semaphore = channel_semaphore(rank_, type, *channel);
            ++balance_[{rank_, semaphore}].second;
            add(wait_step(peer, semaphore));
            continue;
        }
        // The channel's other end has the same place among those that lead back.
        const auto own = gpu_->peers[t].begin();
        const auto place = std::count(own, own + *channel, peer);
        const std::vector<std::uint32_t>& others = source_.gpus[peer].peers[t];
        std::uint32_t other = 0;
        for (std::ptrdiff_t left = place; other < others.size(); ++other)
            if (others[other] == rank_ && left-- == 0) break;
        if (other == others.size()) {
            problem(op.line,
                fmt::format("{} channel {} from gpu {} to gpu {} has no other end", name_of(type), place, rank_, peer),
                fmt::format("as many channels from gpu {} to gpu {}", peer, rank_));
            continue;
        }
        const std::uint32_t semaphore = channel_semaphore(peer, type, other);
        ++balance_[{peer, semaphore}].first;
        Step signal = signal_step(peer, semaphore);
        signal.channel = type == MscclppChannel::port ? StepChannel::port : StepChannel::memory;
        add(std::move(signal));
    }
}

void MscclppLowering::only_on_ports(const JsonValue& op, const std::string& name)
{
    if (op.member("channel_type") == nullptr || fields_.channel(op, "channel_type") == MscclppChannel::port) return;
    problem(op.line, fmt::format("{} on {} channels", name, name_of(fields_.channel(op, "channel_type"))),
        "port channels");
}

// Until what ports have been asked for is done.
void MscclppLowering::flush()
{
    run_.clear();
    Step step;
    step.channel = StepChannel::port;
    add(std::move(step));
}

void MscclppLowering::semaphores(const JsonValue& op, bool acquire)
{
    for (const std::uint32_t id : fields_.numbers(op, "semaphore_ids")) {
        if (id >= gpu_->semaphores.size()) {
            problem(op.line,
                fmt::format("semaphore {} of gpu {}, which has {} semaphores", id, rank_, gpu_->semaphores.size()),
                "one of 'semaphores'");
            continue;
        }
        ++(acquire ? tokens_[id].second : tokens_[id].first);
        if (!acquire) {
            add(signal_step(rank_, block_semaphore(id)));
            continue;
        }
        if (gpu_->semaphores[id] > 0 && acquirer_.emplace(id, thread_).first->second != thread_)
            problem(op.line, fmt::format("semaphore {} of gpu {} with init_value is acquired by two blocks", id, rank_),
                "one block, or init_value 0");
        if (initial_[id] > 0)
            --initial_[id];
        else
            add(wait_step(rank_, block_semaphore(id)));
    }
}

// Counts for one channel: surplus waits never end, surplus signals stay unused.
void MscclppLowering::unequal_signals()
{
    for (const auto& [place, count] : balance_) {
        if (count.first == count.second) continue;
        const auto [rank, semaphore] = place;
        const auto memory = static_cast<std::uint32_t>(source_.gpus[rank].peers[0].size());
        const bool port = semaphore >= memory;
        const std::uint32_t channel = port ? semaphore - memory : semaphore;
        const std::string what =
            fmt::format("{} channel {} of gpu {} gets {} signals from gpu {}, but {} waits", port ? "port" : "memory",
                channel, rank, count.first, source_.gpus[rank].peers[port ? 1 : 0][channel], count.second);
        if (count.first < count.second)
            problem(source_.gpus[rank].line, what, "as many signals as waits");
        else
            plan_.notices.push_back({plan_.file, source_.gpus[rank].line,
                what + fmt::format(", so {} of them stay unused", count.first - count.second), ""});
    }
}

// Counts for one semaphore between blocks: a pool of credits must end with at least as many as it began with.
void MscclppLowering::unused_tokens()
{
    for (const auto& [id, count] : tokens_) {
        const std::uint64_t begin = gpu_->semaphores[id];
        const auto [released, acquired] = count;
        if (begin + released <= acquired) continue;
        plan_.notices.push_back({plan_.file, gpu_->line,
            fmt::format(
                "semaphore {} of gpu {} starts at {}, is released {} times and acquired {} times, and ends at {}", id,
                rank_, begin, released, acquired, begin + released - acquired),
            ""});
    }
}

}  // namespace weft
