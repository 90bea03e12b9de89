#include "platform/assembly/wave_names.h"
#include "platform/assembly/wide_transactions.h"
#include "platform/choice/unpriced_parameters.h"
#include "platform/choice/wide_errors.h"
#include "platform/simulation/run.h"

#include <algorithm>
#include <chrono>

#include "base/diagnostic.h"
#include "collectives/engine/place_report.h"
#include "collectives/plans/export_order.h"
#include "collectives/plans/msccl_writer.h"
#include "collectives/schedule/channels.h"
#include "platform/assembly/not_counted.h"
#include "platform/assembly/link_results.h"
#include "platform/simulation/kernel_processes.h"
#include "platform/simulation/planned_run.h"
#include "platform/simulation/proxy_notice.h"
#include "platform/simulation/gathered.h"
#include "platform/simulation/gathered_reports.h"
#include "platform/console/interrupt.h"
#include "platform/simulation/memory_bound.h"
#include "tlm_interconnect/kernel/module_errors.h"
#include "platform/simulation/run_end.h"
#include "platform/simulation/run_parts.h"
#include "platform/simulation/watching.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/theory.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Figures that do not count what a run has say so.
void tell_what_is_not_counted(const PlannedRun& run, RunResult& result)
{
    NotCounted models = not_counted(run.resolved, run.plan);
    const auto tell = [&result](const std::string& who, const std::vector<std::string>& of) {
        if (!of.empty()) result.notices.push_back(who + " nothing of " + joined_names(of, " and "));
    };
    if (result.theory) tell("alpha-beta knows", models.in_formula);
    if (is_choice(run.resolved.workload.algorithm)) tell("the estimates of algorithms know", models.in_estimate);
    result.not_in_formula = std::move(models.in_formula);
    result.not_in_estimate = std::move(models.in_estimate);
}

// What is known before time starts.
RunResult described(PlannedRun& run, BuiltRun& parts)
{
    const ResolvedSystem& resolved = run.resolved;
    const CollectiveDriver* driver = run.load.driver();
    RunResult result;
    std::string lost;
    if (run.options.plan) {
        if (driver == nullptr)
            throw InputError(resolved.file, resolved.workload.line, "a trace has no plan to export",
                "a single collective");
        const Schedule exported = whole(driver->schedule());
        result.plan = write_msccl_xml(exported);
        lost = export_changes(exported, result.plan);
    }
    result.seed = resolved.seed;
    result.grain = resolved.engine().grain;
    result.partitions = run.options.partitions;
    result.estimate = run.estimate;
    result.choice = std::move(parts.choice);
    result.system = resolved.name;
    result.endpoints = run.accelerators;
    result.nodes = resolved.graph().node_count();
    result.links = parts.system.links().size();
    result.switches = parts.system.fabric().stated_switches();
    result.assumptions = std::move(run.assumptions);
    result.notices = resolved.notices;
    result.notices.insert(result.notices.end(), run.plan.notices.begin(), run.plan.notices.end());
    for (std::string& notice : wide_notices(resolved, run.plan)) result.notices.push_back(std::move(notice));
    for (std::string& notice : wide_error_notices(resolved, run.plan)) result.notices.push_back(std::move(notice));
    for (std::string& notice : run.traffic.notices(run.ranks)) result.notices.push_back(std::move(notice));
    for (const Diagnostic& notice : run.load.notices()) result.notices.push_back(notice.text());
    if (!lost.empty()) result.notices.push_back(std::move(lost));
    if (driver != nullptr && !run.traffic.any() && resolved.workload.delays.empty() && resolved.workload.plan.empty() &&
        resolved.engine().flag_home == FlagHome::waiter)
        result.theory = alpha_beta(resolved, run.plan, run.load.collective(run.ranks), driver->schedule());
    if (result.theory || result.choice) {
        std::string unpriced = unpriced_notice(resolved, "alpha-beta and the estimates of algorithms do", true);
        if (!unpriced.empty()) result.notices.push_back(std::move(unpriced));
    }
    tell_what_is_not_counted(run, result);
    return result;
}

void elaborate(PlannedRun& run, BuiltRun& parts)
{
    // While workgroups spin the event queue never runs empty: ranks that wait crosswise go on from here.
    parts.system.progress().set_last_resort([&run, &parts] {
        return parts.executor.guarded([&run, &parts] {
            parts.executor.expect_responses();
            while (!parts.system.progress().anything_busy() && run.load.let_one_more_in()) {
            }
        }) &&
            parts.system.progress().anything_busy();
    });
    // The kernel's remark on a run that is stopped early would stand in the middle of a report.
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    throw_fatal_errors();
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    if (run.cut) require_no_processes();
}

// Where nothing is due any more. The event queue runs ahead of the kernel's time; what is found now begins no earlier than the last item.
bool let_one_more_in(PlannedRun& run, EventQueue& event_queue)
{
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    if (event_queue.last() > kernel)
        sc_core::sc_start(to_sc_time(event_queue.last() - kernel), sc_core::SC_RUN_TO_TIME);
    return run.load.let_one_more_in();
}

// When something happens next, of our items or of SystemC processes of others.
Time next_activity(const EventQueue& event_queue)
{
    const Time kernel = to_ps(sc_core::sc_time_stamp());
    const Time others = to_ps(sc_core::sc_time_to_pending_activity());
    return std::min(event_queue.next_time(), others > ~Time{0} - kernel ? ~Time{0} : kernel + others);
}

void simulate(PlannedRun& run, BuiltRun& parts, Watching& watching)
{
    EventQueue& event_queue = parts.system.event_queue();
    std::optional<TimeSeries>& series = watching.series;
    const Time end = run.options.until.value_or(~Time{0});
    run.load.start();
    const InterruptGuard interrupt;  // until here nothing has been simulated that would be worth keeping
    run.start_others(parts);
    do {
        while (!event_queue.idle()) {
            event_queue.run_kernel(series ? std::min(end, series->next() - 1) : end);
            parts.executor.rethrow();
            if (!series || event_queue.idle() || event_queue.stopped() || series->next() > end) break;
            if (InterruptGuard::requested()) {  // the watch sees no windows without items
                watching.interrupted = true;
                event_queue.stop();
                break;
            }
            series->pass(std::min(end, next_activity(event_queue)));
        }
    } while (!run.load.finished() && !event_queue.stopped() && event_queue.idle() && let_one_more_in(run, event_queue));
}

// The last `modules` lines are those of modules.
std::vector<std::string> who_waits(EndReport& all, std::size_t& modules)
{
    std::vector<BufferWait> waits;
    for (auto& [place, wait] : all.buffer_waits) waits.push_back(std::move(wait));
    std::vector<std::string> out;
    for (auto& [place, line] : all.suspects) out.push_back(std::move(line));
    for (std::string& line : blocked_chain(waits)) out.push_back(std::move(line));
    for (std::string& line : full_places(all.places)) out.push_back(std::move(line));
    for (auto& [place, line] : all.waiting_ranks) out.push_back(std::move(line));
    modules = all.waiting_modules.size();
    for (auto& [place, line] : all.waiting_modules) out.push_back(std::move(line));
    return out;
}

// Why the run is over; it ended by itself where `ended`.
void set_stop(const PlannedRun& run, const Watching& watching, const RunEnd& end, EndReport& all, RunResult& result)
{
    result.problems = std::move(all.problems);
    if (result.problems.empty()) result.problems = std::move(all.unsettled);
    result.fault = std::move(all.fault);
    if (!result.problems.empty()) {
        result.stop = StopReason::wrong;
    } else if (run.load.finished() && end.all_replayed) {
        result.stop = StopReason::finished;
    } else if (end.interrupted) {
        result.stop = StopReason::interrupted;
    } else if (run.options.until && !end.idle && !end.cannot_progress) {
        result.stop = StopReason::until;
    } else {
        result.stop = StopReason::deadlock;
        result.blocked = who_waits(all, result.blocked_modules);
        if (watching.late)
            result.notices.emplace_back("the end may have been found some polls later than without --partitions: its "
                                        "time and counts may differ");
    }
}

void gather(PlannedRun& run, BuiltRun& parts, Watching& watching, EndReport& all, RunResult& result)
{
    const ResolvedSystem& resolved = run.resolved;
    const FabricPlan& plan = run.plan;
    System& system = parts.system;
    result.collectives = collective_results(parts.executor);
    if (parts.beside) result.beside = parts.beside->result(resolved.workload.beside);
    result.ranks = rank_results(system, plan, run.load, run.accelerators);
    for (RankResult& rank : result.ranks) {
        rank.finish_ps = std::max(rank.finish_ps, all.replayed[rank.rank]);
        const std::vector<Time>& stalls = all.stalls[rank.rank];
        if (stalls.empty()) rank.stall_ps.clear();  // nobody counts: a replay GPU, or a rank that is simulated as flow
        for (std::size_t cause = 0; cause < stalls.size(); ++cause) rank.stall_ps[cause].second = stalls[cause];
    }
    if (result.stop == StopReason::finished) {
        for (const RankResult& rank : result.ranks) result.simulated_ps = std::max(result.simulated_ps, rank.finish_ps);
    } else {
        result.simulated_ps = result.stop == StopReason::until ? *run.options.until : all.last;
    }
    result.counted_ps = std::max(result.simulated_ps, result.beside ? result.beside->end_ps : 0);
    for (RankResult& rank : result.ranks) {
        rank.breakdown_ps = run.load.breakdown(rank.rank, result.simulated_ps);
        rank.operations = run.load.operations(rank.rank);
        rank.accesses_left_out = run.load.leaves_accesses_out(rank.rank);
    }
    for (std::string& notice : run.load.notices_of_run()) result.notices.push_back(std::move(notice));
    if (std::string notice = held_places_notice(all.places); !notice.empty())
        result.notices.push_back(std::move(notice));
    result.checked_connections = system.checked_connections();
    result.protocol_problems = system.protocol_problems();
    result.lines = all.lines;
    result.line_hops = all.line_hops;
    bool checked = false;
    for (std::size_t job = 0; job < parts.executor.records().size(); ++job) {
        const JobRecord& record = parts.executor.records()[job];
        checked = checked || record.checked;
        if (const std::string& text = all.mismatches[job].text; !text.empty())
            result.mismatches.push_back(record.name + ": " + text);
    }
    if (checked) result.verified = result.mismatches.empty() ? "passed" : "failed";
    const Time last = std::max(all.last, result.simulated_ps);
    std::vector<std::string> names;
    for (const NodeId node : plan.members) names.push_back(plan.fabric.nodes[node].name);
    if (watching.series) {
        if (run.options.group == nullptr) watching.series->close(last);
        result.series = watching.series->take_csv();
    }
    if (run.options.record) {
        const std::vector<std::uint32_t> order = run.cut ? run.cut->devices(plan) : std::vector<std::uint32_t>();
        const TrafficRecorder recorder = TrafficRecorder::merged(parts.recorders, order);
        result.record = recorder.csv(names);
        if (recorder.left_out() > 0)
            result.notices.push_back(std::to_string(recorder.left_out()) +
                " transactions are not in the profile: it has only writes, reads and additions to flags");
    }
    result.link_results = link_results(system.fabric(), resolved.graph(), last);
    for (std::size_t l = 0; l < all.links.size(); ++l)
        if (result.link_results[l].name.empty()) result.link_results[l] = std::move(all.links[l]);
    if (const CollectiveDriver* driver = run.load.driver(); driver != nullptr && result.stop == StopReason::finished)
        add_theory(system.fabric(),
            link_payload(plan, resolved.routing(), run.load.collective(run.ranks), driver->schedule()),
            result.link_results);
    if (watching.trace) {
        watching.trace->gather();
        result.paths = watching.trace->paths();
        const bool ended = run.load.finished();
        result.trace = watching.trace->analysis(ended);
        result.timeline = watching.trace->timeline(names, ended, parts.beside ? &*parts.beside : nullptr);
        if (!ended) result.notices.push_back(no_path_notice(result));
    }
    for (std::vector<ModuleResult>& place : all.modules)
        for (ModuleResult& module : place) result.modules.push_back(std::move(module));
    if (std::optional<std::string> notice = write_back_notice(result, last)) {
        result.counted_ps = last;
        result.notices.push_back(std::move(*notice));
    }
    result.memory_bound = memory_bound_of(result, resolved, plan);
    if (std::optional<std::string> notice = proxy_notice(result, resolved, plan))
        result.notices.push_back(std::move(*notice));
    result.parameters = explained_parameters(resolved, plan.used);
    if (run.cut) result.cut = all.cut;
    if (run.options.around != nullptr) run.options.around->add_to(result, std::move(all.around));
    if (run.options.group != nullptr) result.processes = {run.options.group->size(), all.cpu_s, all.rss};
}

}  // namespace

RunResult run_system(const ResolvedSystem& resolved, const ModelRegistry& registry, const RunOptions& options)
{
    const Clock::time_point begun = Clock::now();
    PlannedRun run(resolved, registry, options);
    require_wave_names(registry, resolved, run.plan);
    BuiltRun parts(run, registry);
    RunResult result = described(run, parts);
    Watching watching(run, parts);
    elaborate(run, parts);
    registry.waves.check_taken();
    result.elaborate_s = seconds_since(begun);
    watching.progress.restart();

    const Clock::time_point started = Clock::now();
    const auto simulated = [&] { run.cut ? simulate_parts(run, parts, watching) : simulate(run, parts, watching); };
    // Where other processes wait for this one, an error ends all of them.
    if (options.group != nullptr)
        simulated();
    else
        keep_errors(parts.system.event_queue(), simulated);
    result.wall_s = seconds_since(started);

    const RunEnd end = RunEnd::of(parts.system, watching.interrupted, options.group);
    const bool finished = run.load.finished() && end.all_replayed;
    const bool until = options.until && !end.idle && !end.cannot_progress;
    const Time last = counted_until(run, end, parts.system);
    if (!finished) {
        cut_off(run, parts, last);
        if (watching.trace) watching.trace->cut_off(last);
    }
    EndReport all =
        end_report_of(run, parts, finished && end.idle && !end.stopped, !finished && !end.interrupted && !until);
    all.cut = watching.costs.value_or(CutCosts());
    if (options.group != nullptr) {
        all.links = link_results(parts.system.fabric(), resolved.graph(), last);
        if (watching.series) watching.series->close(last);
        gather_reports(run, parts, watching, *options.group);
    }
    if (!collect(all, options.group)) return result;
    set_stop(run, watching, end, all, result);
    gather(run, parts, watching, all, result);
    for (std::string& line : undeclared_statistics(result.modules, registry)) {
        result.problems.push_back(std::move(line));
        if (result.stop == StopReason::finished) result.stop = StopReason::wrong;
    }
    return result;
}

}  // namespace weft
