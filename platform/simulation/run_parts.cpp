#include "platform/simulation/run_parts.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include "platform/simulation/gathered_reports.h"
#include "platform/console/interrupt.h"
#include "platform/simulation/run_end.h"

namespace weft {

namespace {

// How long what the executor does for one rank leaves those of other parts alone. Ranks that agree on their collectives start each other's.
Time reach_of_turns(const PlannedRun& run)
{
    if (run.load.ranks() == 0 || run.resolved.engine().collective_order == CollectiveOrder::fifo) return ~Time{0};
    Time least = ~Time{0};
    for (const NodeId node : run.plan.members) least = std::min(least, run.resolved.gpu(node).launch_latency);
    return std::max<Time>(1, least);
}

// While workgroups spin the event queues never run empty: nodes beyond the look-ahead are fetched from here, in all processes alike.
bool find_more(PlannedRun& run, BuiltRun& parts)
{
    const auto busy = [&parts] {
        const auto& shares = parts.system.shares();
        return std::any_of(shares.begin(), shares.end(),
            [](const auto& share) { return share->progress.anything_busy(); });
    };
    const auto after = [&](const std::function<void()>& action) {
        Pulse own;
        own.flags = parts.executor.guarded(action) ? 0 : Pulse::stopped;
        own.busy = busy() ? 1 : 0;
        return agreed(own, run.options.group);
    };
    bool more = true;
    Pulse all = after([&] { parts.executor.expect_responses(); });
    while (all.busy == 0 && !all.has(Pulse::stopped) && more) all = after([&] { more = run.load.let_one_more_in(); });
    return all.busy > 0 && !all.has(Pulse::stopped);
}

Turns::Rules rules_of(PlannedRun& run, BuiltRun& parts)
{
    ProcessGroup* const group = run.options.group;
    Turns::Rules rules;
    if (run.in_turns())
        rules.order = [&parts](const ScheduledItem& item) {
            const LineExecutor::TurnOf turn = parts.executor.turn_of(item);
            return Turn{0, turn.stage, turn.number, turn.part, turn.ends ? std::uint64_t{1} : 0};
        };
    rules.follow = [&parts](const Turn& turn) {
        const auto part = static_cast<std::uint32_t>(turn.part);
        parts.executor.follow_turn({static_cast<unsigned>(turn.stage), turn.number, part, turn.ends != 0}, turn.due);
    };
    rules.reach = reach_of_turns(run);
    Time slice = ~Time{0};
    for (const NodeId node : run.plan.members) {
        const GpuSpec& gpu = run.resolved.gpu(node);
        const L2Spec& l2 = run.resolved.l2(node);
        const Time latency = l2.of_weft() ? l2.latency : 1;  // nobody knows how soon a slice of somebody else answers
        slice = std::min(slice, latency);
        rules.poll = std::min<Time>(rules.poll, gpu.unit_to_l2 + latency + gpu.l2_to_unit);
    }
    rules.help = [&run, &parts] { return find_more(run, parts); };
    rules.period = System::look_every;
    rules.answer = run.load.by_units_only() ? rules.poll : slice;  // copy engines are next to the slices
    rules.overdue = [&parts, group](Time now) { return overdue(parts.system, now, group); };
    if (group != nullptr)
        parts.executor.ask_all_by([group](bool here) {
            Pulse own;
            own.busy = here ? 0 : 1;
            return agreed(own, group).busy == 0;
        });
    if (group != nullptr && run.resolved.engine().flag_home == FlagHome::signaller)
        parts.executor.read_flags_by([&parts, group](const std::vector<std::uint64_t>& wanted) {
            return flags_elsewhere(parts.executor, wanted, group->processes());
        });
    return rules;
}

// Between two windows: who left a job is told to the other processes, and jobs that all have left are ended.
void share_leaves(LineExecutor& executor, ProcessGroup* group)
{
    std::vector<LineExecutor::Leave> own = executor.take_leaves();
    if (group != nullptr) {
        ByteWriter out;
        out.list(own);
        const std::vector<Bytes> all = group->processes().share(out.bytes());
        std::vector<LineExecutor::Leave> others;
        for (std::uint32_t process = 0; process < all.size(); ++process) {
            if (process == group->rank()) continue;
            for (const LineExecutor::Leave& leave : ByteReader(all[process]).values<LineExecutor::Leave>())
                others.push_back(leave);
        }
        std::sort(others.begin(), others.end(), [](const LineExecutor::Leave& a, const LineExecutor::Leave& b) {
            return std::tie(a.at, a.job, a.position) < std::tie(b.at, b.job, b.position);
        });
        executor.tell_leaves(others);
    }
    executor.finish_ended();
}

// What fails in one process fails in all of them, at this place.
void together(ProcessGroup* group, const std::function<void()>& action)
{
    if (group == nullptr) return action();
    std::exception_ptr error;
    try {
        action();
    } catch (...) {
        error = std::current_exception();
    }
    group->agree(error);
}

}  // namespace

void simulate_parts(PlannedRun& run, BuiltRun& parts, Watching& watching)
{
    ProcessGroup* const group = run.options.group;
    std::optional<TimeSeries>& series = watching.series;
    const Time limit = run.options.until.value_or(~Time{0});
    together(group, [&] { run.load.start(); });
    if (group != nullptr) {
        group->enter(ProcessGroup::Phase::simulating);
        share_channels(watching, *group);
    }
    const InterruptGuard interrupt;
    run.start_others(parts);
    const std::unique_ptr<Conductor> conductor =
        run.cut->conductor(parts.system, run.options.threads, rules_of(run, parts));
    if (run.options.backwards) conductor->run_backwards();
    constexpr std::uint64_t look_mask = (1U << 6U) - 1;  // windows between two progress lines at least
    Conductor::Between between;
    between.has_news = [&] { return parts.executor.anybody_left(); };
    between.share_news = [&] { share_leaves(parts.executor, group); };
    // A window may take long, but a request to end has no time to wait.
    between.go_on = [&](Time now) {
        return ((conductor->windows() & look_mask) != 0 && !InterruptGuard::requested()) || watching.look(now, parts);
    };
    together(group, [&] {
        Conductor::End end = Conductor::End::idle;
        do {
            for (;;) {
                end = conductor->run(series ? std::min(limit, series->next() - 1) : limit, between);
                parts.executor.rethrow();
                if (end != Conductor::End::until || !series || series->next() > limit) break;
                series->pass(std::min(limit, conductor->next()));
            }
        } while (end == Conductor::End::idle && !run.load.finished() && run.load.let_one_more_in());
        watching.late = conductor->late();
    });
    const Conductor::Costs costs = conductor->costs();
    watching.costs = CutCosts{conductor->windows(), costs.records, costs.exchange_s, costs.deliver_s};
}

}  // namespace weft
