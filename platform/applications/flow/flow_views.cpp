#include "platform/applications/flow/flow_views.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "collectives/engine/paths/flow_paths.h"
#include "platform/applications/flow/flow_series.h"
#include "platform/simulation/path_views.h"
#include "platform/simulation/trace_analysis.h"

namespace weft {

FlowViews::FlowViews(const RunOptions& options, std::size_t ranks) : options_(options), follows_(options.follow)
{
    if (follows_)
        log_.emplace(most_operations);
    else if (options.watch || ranks <= most_ranks_counted)
        log_.emplace();
    if (options.window > 0) series_.emplace(options.window);
}

void FlowViews::attach(FlowCore& core, const FlowExecutor& executor)
{
    core_ = &core;
    executor_ = &executor;
    if (log_) core.set_log(&*log_);
    if (series_) core.set_series(*series_);
}

void FlowViews::fit(const FlowProgram& program)
{
    if (!follows_ || !options_.follow_if_small || program.operations() <= most_operations) return;
    too_many_ = program.operations();
    follows_ = false;
    log_.reset();
    if (options_.watch) log_.emplace();
    core_->set_log(log_ ? &*log_ : nullptr);
}

void FlowViews::require_recorded(const ResolvedSystem& system) const
{
    if (!follows_ || options_.follow_if_small || log_->left_out() == 0) return;
    throw InputError(system.file, system.workload.line,
        fmt::format(
            "--critical-path and --timeline keep a record of every operation, and this collective has {} of them; "
            "at most {} are kept",
            log_->largest_left_out(), most_operations),
        "fewer channels (--set engine.channels=1), fewer ranks, or a run without these options");
}

void FlowViews::finish(Picoseconds now, bool ended)
{
    if (log_) log_->finish(now);
    if (ended) return;
    nodes_.cut_off(now);
    stopped_at_ = now;
}

void FlowViews::add_to(RunResult& result, const FlowFabric& fabric, bool one_for_all)
{
    if (log_) add_causes(result, one_for_all);
    if (follows_) add_operations_to(result);
    if (series_) result.series = flow_series(fabric, *series_, result.simulated_ps);
}

// As lines: the mean over the threads of a rank.
void FlowViews::add_causes(RunResult& result, bool one_for_all) const
{
    for (RankResult& rank : result.ranks) {
        const std::uint32_t of = one_for_all ? 0 : rank.rank;
        const StallTimes times = stall_times(log_->times(of));
        const std::uint64_t threads = std::max<std::uint64_t>(1, log_->threads(of));
        for (unsigned cause = 0; cause < stall_causes; ++cause)
            rank.stall_ps.emplace_back(name_of(static_cast<StallCause>(cause)), times[cause] / threads);
    }
}

void FlowViews::add_operations_to(RunResult& result) const
{
    std::vector<std::string> names;
    for (const RankResult& rank : result.ranks) names.push_back(rank.node);
    const bool ended = result.stop == StopReason::finished;
    result.trace = analysis_of(nodes_, ended);
    const FlowPaths paths(*log_);
    const auto path_of = [&](Executor::JobId job) {
        return paths.path(static_cast<std::uint32_t>(job), executor_->records()[job]);
    };
    result.paths = path_results(executor_->records(), path_of);
    Timeline timeline = timeline_of_nodes(nodes_, names, ended);
    add_paths(timeline, executor_->records(), path_of);
    const auto operation = [this](std::size_t number) {
        const FlowRecord& record = log_->records()[number];
        return TimelineOperation{record.work, record.operation, operation_kind(record.kind), record.begin, record.end,
            stall_times(record.spent), 0, record.unfinished};
    };
    add_operations(timeline, log_->records().size(), operation, [this](std::uint32_t number) {
        const FlowLog::Work& work = log_->works()[number];
        return LineExecutor::Work{work.job, work.rank, work.thread, work.endpoint};
    });
    if (kernels_ != nullptr) kernels_->add_to(timeline, stopped_at_);
    result.timeline = timeline.text();
}

std::vector<std::string> FlowViews::notices(const RunResult& result) const
{
    std::vector<std::string> out;
    if (follows_ && result.stop != StopReason::finished) out.push_back(no_path_notice(result));
    if (too_many_ > 0)
        out.push_back(fmt::format("no critical path and no timeline: the collective has {} operations, and at most {} "
                                  "are recorded",
            too_many_, most_operations));
    if (follows_ && log_->left_out() > 0)
        out.push_back(
            fmt::format("{} of the collectives have no critical path and no workgroups in the timeline: at most "
                        "{} operations are recorded",
                log_->left_out(), most_operations));
    if (options_.watch)
        out.push_back(
            "--watch counts what ranks wait for; links at flow fidelity have no virtual channels, so there are "
            "no queues and credits to count");
    if (series_ && series_->window() != options_.window)
        out.push_back(fmt::format("links over time are in windows of {} in place of {}, which would be too many",
            format_time_ps(series_->window()), format_time_ps(options_.window)));
    return out;
}

}  // namespace weft
