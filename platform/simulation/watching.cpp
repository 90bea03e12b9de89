#include "platform/simulation/watching.h"

#include <algorithm>

#include "platform/console/interrupt.h"

namespace weft {

namespace {

// Lines that a collective should take, for the estimate of the remaining time.
std::uint64_t expected_lines(const CollectiveDriver* driver, const Workload& workload)
{
    if (driver == nullptr) return 0;
    std::uint64_t operands = 0;
    const Schedule& schedule = driver->schedule();
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (is_data(step.kind))
                    operands += (step.sources.size() + step.destinations.size()) * 1000 / step.parts;
    return operands * (workload.bytes / std::max(1U, schedule.chunks) / line_bytes) / 1000;
}

std::uint32_t processes_of(const RunOptions& options) { return options.group == nullptr ? 1 : options.group->size(); }

// Whose transactions the progress line counts.
std::string who_of(const RunOptions& options)
{
    return options.group == nullptr ? "" : "process 0 of " + std::to_string(options.group->size()) + ": ";
}

}  // namespace

Watching::Watching(PlannedRun& run, BuiltRun& parts)
    : progress(run.options.progress,
          expected_lines(run.load.driver(), run.resolved.workload) / processes_of(run.options), who_of(run.options))
{
    const RunOptions& options = run.options;
    parts.system.event_queue().set_watch([this, &parts](Time now) { return look(now, parts); });
    if (options.watch || options.window > 0 || options.follow) parts.system.fabric().watch();
    if (options.follow) {
        const auto sites = run.cut ? run.cut->sites(parts.system, run.plan) : std::vector<LineExecutor::Site>();
        run.load.follow(trace.emplace(parts.executor, sites).nodes());
    }
    if (options.window > 0) series.emplace(parts.system.fabric(), run.resolved.graph(), options.window, run.room);
}

bool Watching::look(Time now, BuiltRun& parts)
{
    interrupted = InterruptGuard::requested();
    if (progress.due()) progress.print(now, parts.system.lines());
    return !interrupted;
}

}  // namespace weft
