#include "platform/simulation/planned_run.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "platform/assembly/clocked_times.h"
#include "platform/assembly/wide_transactions.h"
#include "platform/choice/wide_errors.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/workload/combining.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/pricing_line.h"
#include "platform/workload/dimension_rates_of.h"
#include "platform/workload/idle_copies.h"
#include "platform/workload/run_size.h"

namespace weft {

namespace {

FabricPlan plan_of(const ResolvedSystem& resolved, const RunWorkload& load, std::size_t& ranks,
    std::size_t& accelerators)
{
    std::vector<NodeId> members = members_of(resolved, load.wanted());
    ranks = members.size();
    add_replay_gpus(resolved, members);
    accelerators = members.size();
    add_memories(resolved, members);
    return plan_fabric(resolved, std::move(members));
}

std::vector<Assumption> assumptions_of(const ResolvedSystem& resolved, const FabricPlan& plan, bool strict)
{
    std::vector<Assumption> assumptions = assumptions_among(resolved.assumptions, plan.used);
    if (strict) refuse_assumptions(assumptions);
    return assumptions;
}

ReplayTraffic replay_traffic_of(const ResolvedSystem& resolved, const FabricPlan& plan, RunWorkload& load,
    std::size_t ranks)
{
    load.set_dimensions(dimensions_with_rates(resolved, plan, static_cast<std::uint32_t>(ranks)), ranks);
    return ReplayTraffic(resolved, plan);
}

// For all processes of the run together.
MachineMemory memory_of(const RunOptions& options)
{
    if (options.memory_limit) return {*options.memory_limit, *options.memory_limit, true};
    MachineMemory memory = machine_memory();
    // Processes of one machine share it, and each has its part of the run.
    if (options.group != nullptr) {
        const auto all = [&](std::uint64_t bytes) {
            return bytes / options.group->processes().on_this_machine() * options.group->size();
        };
        memory = {all(memory.total), all(memory.available)};
    }
    return memory;
}

// Refuses a run that does not fit into memory, and tells the user of one that is large or long.
RunEstimate check_size(const ResolvedSystem& resolved, const FabricPlan& plan, const CollectiveRequest* request,
    bool data_on, const RunOptions& options)
{
    RunEstimate estimate;
    at_workload(resolved, [&] { estimate = estimate_run(resolved, plan, request, data_on); });
    const MachineMemory memory = memory_of(options);
    require_fit(resolved, plan, request, data_on, estimate, memory);
    const std::string notice = size_notice(estimate, memory, !options.until);
    if (options.progress && !notice.empty()) std::fputs(("weft: " + notice + "\n").c_str(), stderr);
    return estimate;
}

std::uint64_t room_beside(const RunEstimate& estimate, const RunOptions& options)
{
    const MachineMemory memory = memory_of(options);
    if (memory.total == 0) return ~std::uint64_t{0};  // not known
    const auto used = static_cast<std::uint64_t>(estimate.bytes());
    return (memory.available - std::min(memory.available, used)) /
        (options.group == nullptr ? 1 : options.group->size());
}

// If the schedule reduces or multicasts in switches: the assumptions about those switches, and what clocked ones lack.
void add_combining(PlannedRun& run)
{
    const CollectiveDriver* const driver = run.load.driver();
    if (driver != nullptr ? !combines_in_switches(driver->schedule())
                          : !may_combine_in_switches(run.resolved.workload.algorithm))
        return;
    for (std::string& notice : clocked_group_notices(run.resolved, run.plan))
        run.plan.notices.push_back(std::move(notice));
    std::vector<Assumption> more = combining_assumptions(run.resolved, run.plan, run.ranks);
    if (run.options.strict) refuse_assumptions(more);
    for (Assumption& assumption : more) run.assumptions.push_back(std::move(assumption));
}

// What looks at single lines.
void require_lines(const ResolvedSystem& resolved, const RunOptions& options)
{
    const char* const what = options.watch ? "--watch" : options.record ? "--record" : nullptr;
    if (what != nullptr)
        throw wide_refused(resolved, fmt::format("engine.grain = {} B with {}", resolved.engine().grain, what),
            "a grain of 64 B");
}

}  // namespace

PlannedRun::PlannedRun(const ResolvedSystem& system, const ModelRegistry& registry, const RunOptions& with)
    : resolved(system), options(with), load(system), plan(plan_of(system, load, ranks, accelerators)),
      assumptions(assumptions_of(system, plan, with.strict)), traffic(replay_traffic_of(system, plan, load, ranks))
{
    load.require_endpoints(traffic, ranks);
    require_wide(resolved, plan);
    if (resolved.engine().grain > line_bytes) require_lines(resolved, options);
    if (options.allowed_error) require_within(resolved, plan, *options.allowed_error);
    if (options.around != nullptr) elsewhere = &options.around->divide(plan, ranks);
    // What comes from elsewhere has no contents.
    data_on = options.data_on && !traffic.any() && elsewhere == nullptr;
    std::optional<CollectiveRequest> request;
    if (load.ranks() == 0) request = load.collective(ranks);
    if (request && is_choice(resolved.workload.algorithm)) require_priceable(resolved, ranks);
    if (options.partitions > 1)
        cut = std::make_unique<CutRun>(resolved, plan, registry, options,
            elsewhere == nullptr ? nullptr : &elsewhere->nodes);
    else if (options.parts)
        cut_plan(resolved, plan, registry, *options.parts);  // one part: the run as a whole, of all nodes that it names
    // The estimate is that of all nodes.
    if (elsewhere == nullptr) estimate = check_size(resolved, plan, request ? &*request : nullptr, data_on, options);
    room = room_beside(estimate, options);
    if (cut && options.progress) std::fputs(cut->text().c_str(), stderr);
}

bool PlannedRun::in_turns() const
{
    const Workload& workload = resolved.workload;
    return load.ranks() > 0 || !workload.delays.empty() || !workload.beside.empty() || traffic.any() ||
        options.follow || elsewhere != nullptr;
}

void PlannedRun::start_others(BuiltRun& parts) const
{
    if (parts.beside) parts.beside->start();
    if (!traffic.any()) return;
    std::optional<Executor::JobId> job;
    if (load.driver() != nullptr) job = 0;
    traffic.start(parts.system.accelerators(), parts.executor, job, resolved.seed);
}

BuiltRun::BuiltRun(PlannedRun& run, const ModelRegistry& registry)
    : recorders(run.cut ? run.cut->division().parts : 1),
      system(run.resolved, run.plan, registry, run.data_on, run.options.check_protocol,
          run.options.record ? recorders.data() : nullptr, run.cut ? &run.cut->division() : nullptr, run.elsewhere),
      executor(system.event_queue(), system.accelerators(), system.progress(), run.resolved.engine(), run.data_on,
          run.resolved.seed),
      groups(system, run.resolved, run.plan)
{
    const Workload& workload = run.resolved.workload;
    executor.set_groups(groups);
    if (run.cut) executor.divide(run.cut->sites(system, run.plan), run.in_turns());
    std::shared_ptr<const Schedule> chosen;
    if (is_choice(workload.algorithm) && run.load.ranks() > 0) {
        run.load.choose(run.plan, run.options.progress);
    } else if (is_choice(workload.algorithm)) {
        const CollectiveRequest asked = run.load.collective(run.ranks);
        PricingLine line(run.options.progress);
        chosen = chosen_schedule(run.resolved, cost_graph_of(run.resolved, run.plan, asked.members), asked,
            choice.emplace(), line)
                     .schedule;
    }
    Surroundings* const around = run.options.around;
    run.load.attach(around == nullptr ? executor : around->join(executor), run.ranks, run.accelerators, chosen);
    add_combining(run);
    if (run.load.driver() != nullptr && !run.traffic.any())
        for (std::string& notice : idle_copies(run.resolved, run.load.driver()->schedule()))
            run.plan.notices.push_back(std::move(notice));
    if (workload.beside.empty()) return;
    beside.emplace(executor, Gemm::parse(workload.beside).value(), static_cast<std::uint32_t>(run.ranks),
        [&load = run.load] { return load.finished(); });
}

}  // namespace weft
