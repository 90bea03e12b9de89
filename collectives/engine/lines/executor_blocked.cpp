// Who waits for what, for a run that cannot progress.
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "collectives/engine/lines/executor_parts.h"
#include "collectives/schedule/channels.h"

namespace weft {

namespace {

// " from rank 3": the first who stores packets to a slot.
std::string storer_text(const Schedule& schedule, std::uint32_t rank, std::uint32_t slot)
{
    for (std::uint32_t from = 0; from < schedule.size(); ++from)
        for (const Thread& thread : schedule.ranks[from].threads)
            for (const Step& step : thread.steps)
                for (const ChunkRef& ref : step.destinations)
                    if (ref.buffer == Buffer::packets && ref.rank == rank && slot >= ref.index &&
                        slot < ref.index + ref.count)
                        return fmt::format(" from rank {}", from);
    return ", which no rank stores";
}

}  // namespace

bool LineExecutor::only_waits() const
{
    look_at_flags_elsewhere();
    const bool here = only_waits_here();
    return in_all_ ? in_all_(here) : here;
}

void LineExecutor::look_at_flags_elsewhere() const
{
    if (!read_flags_) return;
    std::vector<std::uint64_t> wanted;
    for (const Gpu* gpu : gpus_) {
        if (gpu == nullptr) continue;
        for (const ComputeUnits::Blocked& entry : gpu->blocked_workgroups())
            if (entry.kind == Operation::Kind::wait && !has_flag(entry.flag)) wanted.push_back(entry.flag);
    }
    flags_elsewhere_ = read_flags_(wanted);
}

void LineExecutor::expect_responses()
{
    FlagValues elsewhere;
    if (read_flags_) {
        std::vector<std::uint64_t> wanted;
        for (const Gpu* gpu : gpus_) {
            if (gpu == nullptr) continue;
            for (const std::uint64_t flag : gpu->units().awaited_flags())
                if (!has_flag(flag)) wanted.push_back(flag);
        }
        elsewhere = read_flags_(wanted);
    }
    for (Gpu* gpu : gpus_)
        if (gpu != nullptr)
            gpu->units().expect_responses(
                [&](std::uint64_t address) { return has_flag(address) ? flag_here(address) : elsewhere.at(address); });
}

std::uint64_t LineExecutor::flag_here(std::uint64_t address) const
{
    return endpoints_[endpoint_of(address)]->image().flag(local_of(address));
}

std::uint64_t LineExecutor::flag_at(std::uint64_t address) const
{
    return has_flag(address) ? flag_here(address) : flags_elsewhere_.at(address);
}

bool LineExecutor::only_waits_here() const
{
    std::vector<std::uint32_t> waiting(parts_.size(), 0);  // workgroups and lists, by part
    for (const Gpu* gpu : gpus_) {
        if (gpu == nullptr) continue;
        for (const ComputeUnits::Blocked& entry : gpu->blocked_workgroups()) {
            const bool in_vain =
                entry.kind == Operation::Kind::wait && entry.in_flight == 0 && flag_at(entry.flag) < entry.value;
            const bool in_vain_of_requests = entry.kind == Operation::Kind::request && entry.in_flight == 0;
            const bool in_packets = entry.packets != 0 && entry.in_flight == 0;
            if (in_vain || in_vain_of_requests || in_packets) ++waiting[entry.token];
        }
    }
    for (const auto& part : parts_)
        if (part->open && !absent(part->endpoint) && !part->background() &&
            (part->remaining == 0 || waiting[part->index] < part->remaining))
            return false;
    return true;
}

std::vector<std::string> LineExecutor::blocked() const
{
    std::vector<std::string> out;
    for (std::uint32_t endpoint = 0; endpoint < gpus_.size(); ++endpoint)
        for (std::string& line : blocked_at(endpoint)) out.push_back(std::move(line));
    return out;
}

std::vector<std::string> LineExecutor::blocked_at(std::uint32_t endpoint) const
{
    std::vector<std::string> out;
    const Gpu* const gpu = gpus_[endpoint];
    if (gpu == nullptr) return out;
    // Channels of one rank that wait at the same step for the same count differ only in the flag.
    using Place = std::tuple<std::uint64_t, std::uint32_t, Operation::Kind, std::uint64_t>;
    std::map<Place, std::pair<std::size_t, std::size_t>> alike;  // line in `out`, further workgroups
    std::map<std::uint64_t, RankPlan> plans;                     // by part
    for (const ComputeUnits::Blocked& entry : gpu->blocked_workgroups()) {
        const Part& part = *parts_[entry.token];
        if (!part.of_job || entry.kind == Operation::Kind::request) continue;  // the workgroup has its own line
        const auto known = alike.try_emplace({entry.token, entry.label, entry.kind, entry.value}, out.size(), 0);
        if (!known.second) {
            ++known.first->second.second;
            continue;
        }
        const Running& job = *jobs_.at(part.job);
        const Schedule& schedule = *job.job.schedule;
        std::string line = fmt::format("{} (rank {} of {}): ", gpu->path(), part.position, job.job.name);
        if (entry.kind == Operation::Kind::wait && endpoint_of(entry.flag) != gpu->endpoint()) {
            const Accelerator& home = *endpoints_[endpoint_of(entry.flag)];
            line += fmt::format("step {} waits for signal {} of {}, and has {}", entry.label, entry.value, home.path(),
                flag_at(entry.flag));
        } else if (entry.kind == Operation::Kind::wait) {
            const std::uint64_t number = (entry.flag - job.addresses[part.position].flags) / flag_stride;
            if (plans.count(entry.token) == 0) plans[entry.token] = whole_plan(schedule, part.position);
            const RankPlan& plan = plans[entry.token];
            line += fmt::format("step {} waits for ", entry.label);
            if (number < plan.semaphores) line += fmt::format("signal {} of ", entry.value);
            line += flag_text(plan, number, job.mover());
            for (const Thread& thread : plan.threads)
                if (entry.label < thread.steps.size() && thread.steps[entry.label].kind == StepKind::wait &&
                    thread.steps[entry.label].semaphore == number) {
                    line += fmt::format(" from rank {}", thread.steps[entry.label].peer);
                    break;
                }
            line += fmt::format(", and has {}", flag_at(entry.flag));
            if (entry.more_flags > 0) line += fmt::format(", and waits for {} more flags", entry.more_flags);
        } else if (entry.packets != 0 && entry.in_flight == 0) {
            const std::uint64_t base = job.addresses[part.position].memory[static_cast<unsigned>(Buffer::packets)];
            const std::uint32_t slot = job.packets->slot_at(entry.packets - base);
            line += fmt::format("step {} waits for packets in slot {}{}", entry.label, slot,
                storer_text(schedule, part.position, slot));
        } else if (entry.in_flight == 0 && entry.no_place) {
            line +=
                fmt::format("step {} has no place for a request: its unit has gpu.outstanding = {} without a response",
                    entry.label, compute_units(endpoint).outstanding);
        } else {
            line += fmt::format("step {} has {} request{} without a response", entry.label, entry.in_flight,
                entry.in_flight == 1 ? "" : "s");
        }
        out.push_back(std::move(line));
    }
    for (const auto& [place, group] : alike)
        if (group.second > 0)
            out[group.first] += fmt::format(" (and {} more workgroups wait for the same)", group.second);
    if (gpu->dma_engines().queued() > 0)
        out.push_back(
            fmt::format("{}: {} command lists wait for a copy engine", gpu->path(), gpu->dma_engines().queued()));
    if (gpu->queued_workgroups() > 0)
        out.push_back(fmt::format("{}: {} workgroups wait for a compute unit", gpu->path(), gpu->queued_workgroups()));
    return out;
}

}  // namespace weft
