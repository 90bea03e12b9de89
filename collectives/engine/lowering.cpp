#include "collectives/engine/lowering.h"

#include <map>

#include "base/diagnostic.h"

namespace weft {

namespace {

using StepKey = std::pair<std::uint32_t, std::uint32_t>;

// Flag of every step that another thread of the rank depends on, numbered behind the semaphores.
std::map<StepKey, std::uint32_t> dependency_flags(const RankPlan& plan)
{
    std::map<StepKey, std::uint32_t> flags;
    for (std::uint32_t t = 0; t < plan.threads.size(); ++t)
        for (const Step& step : plan.threads[t].steps)
            for (const StepId& id : step.after)
                if (id.thread != t) flags.emplace(StepKey{id.thread, id.step}, 0);
    std::uint32_t next = plan.semaphores;
    for (auto& [key, flag] : flags) flag = next++;
    return flags;
}

}  // namespace

std::uint32_t flags_of(const RankPlan& plan)
{
    return plan.semaphores + static_cast<std::uint32_t>(dependency_flags(plan).size());
}

std::string flag_text(const RankPlan& plan, std::uint64_t flag)
{
    for (const auto& [step, number] : dependency_flags(plan))
        if (number == flag)
            return "step " + std::to_string(step.second) + " of thread " + std::to_string(step.first);
    return "semaphore " + std::to_string(flag);
}

std::vector<Program> lower(const Schedule& schedule, const Layout& layout, ElementType type, std::uint32_t rank,
    const std::vector<RankAddresses>& addresses)
{
    const RankPlan& plan = schedule.ranks[rank];
    const std::map<StepKey, std::uint32_t> after_flags = dependency_flags(plan);
    const auto flag = [&](std::uint32_t owner, std::uint32_t number) {
        return addresses[owner].flags + number * flag_stride;
    };
    const auto address = [&](const Place& place) {
        return addresses[place.rank].memory[static_cast<unsigned>(place.memory)] + place.offset;
    };

    std::vector<Program> programs(plan.threads.size());
    std::map<std::uint32_t, std::uint64_t> waits;     // by semaphore: waits so far
    std::map<StepKey, std::uint64_t> rounds;          // (thread, semaphore): barriers joined
    std::vector<std::uint64_t> sources;
    std::vector<std::uint64_t> destinations;
    for (std::uint32_t t = 0; t < plan.threads.size(); ++t) {
        Program& program = programs[t];
        const std::vector<Step>& steps = plan.threads[t].steps;
        for (std::uint32_t s = 0; s < steps.size(); ++s) {
            const Step& step = steps[s];
            for (const StepId& id : step.after)
                if (id.thread != t) program.add_wait(flag(rank, after_flags.at({id.thread, id.step})), 1, s);
            switch (step.kind) {
            case StepKind::move: {
                bool with_previous = step.with_previous && step.after.empty();
                for (const Piece& piece : layout.pieces(step)) {
                    sources.clear();
                    destinations.clear();
                    for (const Place& place : piece.sources) sources.push_back(address(place));
                    for (const Place& place : piece.destinations) destinations.push_back(address(place));
                    program.add_move(sources, destinations, piece.bytes, type, schedule.reduction, s, with_previous);
                    with_previous = true;
                }
                break;
            }
            case StepKind::signal: program.add_signal(flag(step.peer, step.semaphore), s); break;
            case StepKind::wait: program.add_wait(flag(rank, step.semaphore), ++waits[step.semaphore], s); break;
            case StepKind::barrier: {
                const std::uint64_t round = ++rounds[{t, step.semaphore}];
                program.add_signal(flag(rank, step.semaphore), s);
                program.add_wait(flag(rank, step.semaphore), round * step.participants, s);
                break;
            }
            case StepKind::multicast:
            case StepKind::load_reduce:
                throw InputError(schedule.name, 0,
                    std::string("rank ") + std::to_string(rank) + " thread " + std::to_string(t) + " step " +
                        std::to_string(s) + ": " + name_of(step.kind) + " cannot run",
                    "steps that need no multicast or reduction in a switch");
            case StepKind::nop: break;
            }
            const auto depended = after_flags.find({t, s});
            if (depended != after_flags.end()) program.add_signal(flag(rank, depended->second), s);
        }
    }
    return programs;
}

}  // namespace weft
