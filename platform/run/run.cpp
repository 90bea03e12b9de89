#include "platform/run/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/chakra/validate.h"
#include "collectives/engine/chunk_scheduling.h"
#include "collectives/engine/collective_driver.h"
#include "collectives/engine/line_executor.h"
#include "collectives/engine/trace_engine.h"
#include "collectives/plans/msccl_writer.h"
#include "collectives/schedule/theory.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/run/beside.h"
#include "platform/run/chosen_schedule.h"
#include "platform/run/dimension_rates_of.h"
#include "platform/run/followed.h"
#include "platform/run/interrupt.h"
#include "platform/run/memory_bound.h"
#include "platform/run/plan_load.h"
#include "platform/run/progress_line.h"
#include "platform/run/replay_traffic.h"
#include "platform/run/run_size.h"
#include "platform/run/theory.h"
#include "platform/run/trace_choice.h"
#include "platform/system/fabric_plan.h"
#include "platform/system/switch_groups.h"
#include "platform/system/system.h"
#include "platform/system/time_series.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

chakra::Dependencies dependencies_of(const Workload& workload)
{
    if (workload.dependencies == "data") return chakra::Dependencies::data;
    if (workload.dependencies == "data_and_control") return chakra::Dependencies::data_and_control;
    return chakra::Dependencies::automatic;
}

CollectiveRequest collective_request(const ResolvedSystem& system, std::size_t ranks,
    const std::vector<Dimension>& dimensions)
{
    const Workload& workload = system.workload;
    CollectiveRequest request;
    if (workload.plan.empty() && !collective_from_name(workload.collective, request.op))
        throw InputError(system.file, workload.line, "unknown collective '" + workload.collective + "'",
            "a collective of 'weft run --help'");
    request.algorithm = workload.algorithm;
    request.bytes = workload.bytes;
    if (!element_type_from_name(workload.element, request.type))
        throw InputError(system.file, workload.line, "unknown element type '" + workload.element + "'",
            "int32, fp32, bf16 or u8");
    if (request.bytes % size_of(request.type) != 0)
        throw InputError(system.file, workload.line,
            std::to_string(request.bytes) + " bytes are not whole " + workload.element + " elements",
            "a multiple of " + std::to_string(size_of(request.type)) + ", or element u8");
    request.options.channels = system.engine().channels_for(request.bytes, system.engine().channels);
    request.options.root = static_cast<std::uint32_t>(workload.root);
    request.options.rings = static_cast<std::uint32_t>(std::min<std::uint64_t>(workload.rings, UINT32_MAX));
    if (workload.pipeline > 0)
        request.options.pipeline = static_cast<std::uint32_t>(std::min<std::uint64_t>(workload.pipeline, UINT32_MAX));
    request.options.dimensions = dimensions;
    request.options.scheduling = scheduling_of(system.engine());
    request.options.reduction = workload.reduction == "min"   ? ReduceOp::min
                                : workload.reduction == "max" ? ReduceOp::max
                                                              : ReduceOp::sum;
    for (std::uint32_t e = 0; e < ranks; ++e) request.members.push_back(e);
    for (const auto& [rank, delay] : workload.delays) {
        if (rank >= ranks)
            throw InputError(system.file, workload.line,
                "a delay of rank " + std::to_string(rank) + ", the collective has " + std::to_string(ranks),
                "ranks from 0 to " + std::to_string(ranks - 1));
        request.delays.resize(ranks);
        request.delays[rank] = delay;
    }
    return request;
}

// Of the dimensions that a trace's ranks form.
std::vector<std::uint32_t> sizes_of(const std::vector<Dimension>& dimensions, std::uint32_t ranks)
{
    std::vector<std::uint32_t> sizes;
    if (dimensions.empty()) return sizes;
    AlgorithmOptions options;
    options.dimensions = dimensions;
    for (const Dimension& dimension : dimensions_of(options, ranks)) sizes.push_back(dimension.size);
    return sizes;
}

// What runs: one collective, by an algorithm or a plan, or a trace set.
class Load {
public:
    Load(const ResolvedSystem& system) : system_(system)
    {
        const Workload& workload = system.workload;
        if (workload.kind == Workload::Kind::trace) {
            chakra::TraceSetOptions options;
            options.ranks = static_cast<std::uint32_t>(workload.rank_count);
            options.group_file = workload.groups;
            traces_ = chakra::TraceSet::open(workload.trace, options);
            chakra::Policy policy;
            policy.dependencies = dependencies_of(workload);
            policy.dimensions = sizes_of(workload.dimensions, traces_->ranks());
            verdict_ = chakra::validate(*traces_, policy);
            verdict_.require_runnable();
        } else if (workload.kind == Workload::Kind::none) {
            throw InputError(system.file, 0, "nothing to run", "a workload (--collective, --plan or --trace)");
        } else if (!workload.plan.empty()) {
            plan_ = load_plan(workload, system.file);
        }
    }

    std::uint64_t ranks() const { return traces_ ? traces_->ranks() : 0; }
    // How many GPUs that takes; 0 = as many as the workload says.
    std::uint64_t wanted() const { return plan_ ? plan_->schedule->size() : ranks(); }

    // Those of the workload with their rates; before what follows.
    void set_dimensions(std::vector<Dimension> dimensions) { dimensions_ = std::move(dimensions); }

    // The single collective.
    CollectiveRequest collective(std::size_t members) const
    {
        CollectiveRequest request = collective_request(system_, members, dimensions_);
        if (plan_) plan_->apply(request);
        return request;
    }

    // Collectives of a trace are chosen for, on this plan.
    void choose(const FabricPlan& plan, bool progress) { choice_.emplace(system_, plan, progress); }

    // The first `members` endpoints are ranks, those from `accelerators` on memories.
    void attach(LineExecutor& executor, std::size_t members, std::size_t accelerators,
        std::shared_ptr<const Schedule> schedule)
    {
        if (!traces_) {
            CollectiveRequest request = collective(members);
            if (schedule) request.schedule = std::move(schedule);
            driver_.emplace(executor, std::move(request));
            return;
        }
        TraceRequest request;
        for (std::uint32_t e = 0; e < members; ++e) request.members.push_back(e);
        for (auto e = static_cast<std::uint32_t>(accelerators); e < executor.endpoints(); ++e)
            request.memories.push_back(e);
        request.algorithm = system_.workload.algorithm;
        if (choice_)
            request.choose = [this](CollectiveOp op, const std::vector<std::uint32_t>& of, std::uint64_t bytes,
                                 std::uint32_t channels) { return choice_->schedule(op, of, bytes, channels); };
        request.dimensions = dimensions_;
        engine_ = std::make_unique<TraceEngine>(executor, *traces_, verdict_, system_.engine(), request);
    }

    void start() { driver_ ? driver_->start() : engine_->start(); }
    bool finished() const { return driver_ ? driver_->finished() : engine_->finished(); }
    bool look_further() { return engine_ && engine_->look_further(); }
    const std::vector<Picoseconds>& finish_times() const
    {
        return driver_ ? driver_->finish_times() : engine_->finish_times();
    }
    std::vector<std::string> blocked() const { return engine_ ? engine_->blocked() : std::vector<std::string>(); }
    std::vector<std::string> notices_of_run() const
    {
        std::vector<std::string> out = choice_ ? choice_->notices() : std::vector<std::string>();
        if (!engine_) return out;
        for (std::string& notice : engine_->notices()) out.push_back(std::move(notice));
        return out;
    }
    // How the rank spent [0, end]; empty for a collective.
    std::vector<std::pair<std::string, Time>> breakdown(std::uint32_t rank, Time end) const
    {
        std::vector<std::pair<std::string, Time>> out;
        if (!engine_ || rank >= traces_->ranks()) return out;
        const Breakdown::Times times = engine_->breakdown(rank, end);
        for (unsigned a = 0; a < activity_count; ++a) out.emplace_back(name_of(static_cast<Activity>(a)), times[a]);
        return out;
    }
    const CollectiveDriver* driver() const { return driver_ ? &*driver_ : nullptr; }
    const std::vector<Diagnostic>& notices() const { return plan_ ? plan_->notices : verdict_.notices; }

private:
    const ResolvedSystem& system_;
    std::vector<Dimension> dimensions_;
    std::optional<chakra::TraceSet> traces_;
    chakra::Verdict verdict_;
    std::optional<PlanLoad> plan_;
    std::optional<TraceChoice> choice_;
    std::optional<CollectiveDriver> driver_;
    std::unique_ptr<TraceEngine> engine_;
};

// `accelerators`: endpoints that are no memories.
std::vector<RankResult> rank_results(const System& system, const FabricPlan& plan, const Load& load,
    std::size_t accelerators)
{
    std::vector<RankResult> out;
    const std::vector<Gpu*> gpus = system.gpus();
    const std::vector<ReplayGpu*> replays = system.replays();
    for (std::uint32_t rank = 0; rank < accelerators; ++rank) {
        RankResult result;
        result.rank = rank;
        result.node = plan.fabric.nodes[plan.members[rank]].name;
        if (rank < load.finish_times().size()) result.finish_ps = load.finish_times()[rank];
        if (replays[rank] != nullptr) result.finish_ps = std::max(result.finish_ps, replays[rank]->finish_time());
        std::array<Time, stall_causes> stalls{};
        if (gpus[rank] != nullptr) stalls = gpus[rank]->units().stalls();
        const std::uint64_t groups =
            gpus[rank] == nullptr ? 1 : std::max<std::uint64_t>(1, gpus[rank]->units().workgroups());
        for (unsigned cause = 0; cause < stall_causes; ++cause)
            result.stall_ps.emplace_back(name_of(static_cast<StallCause>(cause)), stalls[cause] / groups);
        out.push_back(std::move(result));
    }
    return out;
}

// Statistics of the fabric ports of an accelerator.
template <class Ports>
void add_ports(const std::string& path, const std::string& model, const Ports& ports, std::vector<ModuleResult>& out)
{
    for (std::size_t p = 0; p < ports.size(); ++p)
        out.push_back({path + ".port." + std::to_string(p), "port", model, ports[p]->statistics(), {}});
}

// A cache as a whole, and slice by slice what waits did there if they did anything.
template <class Slice>
ModuleResult cache_result(const std::string& path, const char* kind, const std::string& model,
    const std::vector<std::unique_ptr<Slice>>& slices)
{
    ModuleResult out{path, kind, model, summed_statistics(slices), {}};
    std::vector<std::uint64_t> reads;
    std::vector<std::uint64_t> waiters;
    std::vector<std::uint64_t> wakes;
    bool any = false;
    for (const auto& slice : slices) {
        const SliceModel::FlagCounts counts = slice->flag_counts();
        reads.push_back(counts.reads);
        waiters.push_back(counts.waiters);
        wakes.push_back(counts.wakes);
        any = any || counts.reads > 0;
    }
    if (any) out.by_slice = {{"flag_reads", reads}, {"flag_waiters", waiters}, {"flag_wakes", wakes}};
    return out;
}

std::vector<ModuleResult> module_results(const System& system, const ResolvedSystem& resolved, const FabricPlan& plan)
{
    std::vector<ModuleResult> out;
    const std::vector<Gpu*> gpus = system.gpus();
    const std::vector<ReplayGpu*> replays = system.replays();
    for (std::uint32_t rank = 0; rank < gpus.size(); ++rank) {
        const std::string& model = resolved.model(plan.members[rank]);
        if (const ReplayGpu* replay = replays[rank]) {
            out.push_back({replay->path() + ".replay", "replay", model, replay->statistics(), {}});
            add_ports(replay->path(), model, replay->ports(), out);
        }
        if (gpus[rank] == nullptr) continue;
        const Gpu& gpu = *gpus[rank];
        if (resolved.role(plan.members[rank]) != NodeRole::memory)
            out.push_back({gpu.path() + ".units", "gpu", model, gpu.units().statistics(), {}});
        out.push_back({gpu.path() + ".network", "network", model, gpu.network().statistics(), {}});
        const std::string& slice = L2Spec::parameters().find("model")->info.choices[gpu.l2_spec().model];
        out.push_back(cache_result(gpu.path() + ".l2", "l2", gpu.l2_spec().clocked() ? slice : model, gpu.slices()));
        if (gpu.memory_side() != nullptr)
            out.push_back(cache_result(gpu.path() + ".memory_side", "memory_side", model, gpu.memory_side()->slices()));
        out.push_back({gpu.path() + ".hbm", "hbm", model, gpu.hbm().statistics(), {}});
        if (gpu.movers().copied() > 0)
            out.push_back({gpu.path() + ".copy", "copy", model, gpu.movers().copy_statistics(), {}});
        if (gpu.movers().bulk_copied() > 0)
            out.push_back({gpu.path() + ".bulk", "bulk", model, gpu.movers().bulk_statistics(), {}});
        add_ports(gpu.path(), model, gpu.ports(), out);
    }
    for (const System::SwitchPlace& place : system.switches())
        out.push_back({place.path, "switch", place.model, place.module->statistics(), {}});
    // Blocks: what their packets are can be counted.
    for (const FabricModules::LinkPlace& place : system.fabric().links()) {
        const std::string& model = resolved.link_model(place.edge);
        if (model != "link") out.push_back({edge_name(resolved.graph(), place.edge), "link", model, place.link->statistics(), {}});
    }
    return out;
}

std::vector<CollectiveResult> collective_results(const LineExecutor& executor)
{
    std::vector<CollectiveResult> out;
    for (const JobRecord& record : executor.records()) {
        if (!record.reported) continue;
        CollectiveResult result;
        result.op = name_of(record.op);
        result.algorithm = record.algorithm;
        result.protocol = record.protocol;
        result.price = record.price;
        result.name = record.name;
        result.ranks = record.ranks;
        result.bytes = record.bytes;
        result.finished = record.finished;
        result.start_ps = record.start;
        result.end_ps = record.end;
        if (record.finished && record.end > record.start) {
            result.algbw_GBps = static_cast<double>(record.bytes) * 1e3 / static_cast<double>(record.end - record.start);
            result.busbw_GBps = result.algbw_GBps * bus_factor(record.op, record.ranks);
        }
        out.push_back(std::move(result));
    }
    return out;
}

// What the schedule puts on each link, beside what was counted there.
void add_theory(const FabricModules& fabric, const std::optional<std::vector<double>>& payload, std::vector<LinkResult>& links)
{
    if (!payload) return;
    for (std::size_t l = 0; l < fabric.links().size(); ++l)
        for (unsigned end = 0; end < 2; ++end) links[2 * l + end].theory_payload = (*payload)[2 * fabric.links()[l].edge + end];
}

// Refuses a run that does not fit into memory, and tells the user of one that is large or long.
RunEstimate check_size(const ResolvedSystem& resolved, const FabricPlan& plan, const CollectiveRequest* request, bool data_on,
    const RunOptions& options)
{
    const RunEstimate estimate = estimate_run(resolved, plan, request, data_on);
    MachineMemory memory = machine_memory();
    if (options.memory_limit) memory = {*options.memory_limit, *options.memory_limit};
    require_fit(resolved, plan, request, data_on, estimate, memory);
    const std::string notice = size_notice(estimate, memory, !options.until);
    if (options.progress && !notice.empty()) std::fputs(("weft: " + notice + "\n").c_str(), stderr);
    return estimate;
}

// Lines that a collective should take, for the estimate of the remaining time.
std::uint64_t expected_lines(const CollectiveDriver* driver, const Workload& workload)
{
    if (driver == nullptr) return 0;
    std::uint64_t operands = 0;
    const Schedule& schedule = driver->schedule();
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (is_data(step.kind)) operands += (step.sources.size() + step.destinations.size()) * 1000 / step.parts;
    return operands * (workload.bytes / std::max(1U, schedule.chunks) / line_bytes) / 1000;
}

}  // namespace

const char* name_of(StopReason reason)
{
    switch (reason) {
    case StopReason::finished: return "finished";
    case StopReason::deadlock: return "deadlock";
    case StopReason::until: return "until";
    case StopReason::interrupted: return "interrupted";
    case StopReason::wrong: return "wrong";
    }
    return "?";
}

int RunResult::exit_code() const
{
    switch (stop) {
    case StopReason::deadlock: return 3;
    case StopReason::interrupted: return 130;
    case StopReason::wrong: return 1;
    case StopReason::until:
    case StopReason::finished: break;
    }
    return verified == "failed" || protocol_problems > 0 ? 1 : 0;
}

RunResult run_system(const ResolvedSystem& resolved, const ModelRegistry& registry, const RunOptions& options)
{
    const Clock::time_point begun = Clock::now();
    Load load(resolved);
    std::vector<NodeId> members = members_of(resolved, load.wanted());
    const std::size_t ranks = members.size();
    add_replay_gpus(resolved, members);
    const std::size_t accelerators = members.size();
    add_memories(resolved, members);
    const FabricPlan plan = plan_fabric(resolved, std::move(members));
    std::vector<Assumption> assumptions = assumptions_among(resolved.assumptions, plan.used);
    if (options.strict) refuse_assumptions(assumptions);
    load.set_dimensions(dimensions_with_rates(resolved, plan, static_cast<std::uint32_t>(ranks)));
    const ReplayTraffic traffic(resolved, plan);
    if (load.ranks() > 0 && traffic.any_of(ranks))
        throw InputError(resolved.file, resolved.workload.line, "a rank of the trace is a replay GPU, which carries out no nodes",
            "full GPUs as ranks (ranks: [GLOB, ...])");
    const bool data_on = options.data_on && !traffic.any();
    std::optional<CollectiveRequest> request;
    if (load.ranks() == 0) request = load.collective(ranks);
    if (request && is_choice(resolved.workload.algorithm)) require_priceable(resolved, ranks);
    const RunEstimate estimate = check_size(resolved, plan, request ? &*request : nullptr, data_on, options);
    TrafficRecorder recorder;
    System system("weft", resolved, plan, registry, data_on, options.check_protocol,
        options.record ? &recorder : nullptr);
    LineExecutor executor(system.agenda(), system.accelerators(), system.progress(), resolved.engine(), data_on,
        resolved.seed);
    SwitchGroups groups(system, plan);
    executor.set_groups(groups);
    std::shared_ptr<const Schedule> chosen;
    std::optional<ChoiceResult> choice;
    if (is_choice(resolved.workload.algorithm) && load.ranks() > 0) {
        load.choose(plan, options.progress);
    } else if (is_choice(resolved.workload.algorithm)) {
        const CollectiveRequest asked = load.collective(ranks);
        PricingLine line(options.progress);
        chosen = chosen_schedule(resolved, cost_graph_of(resolved, plan, asked.members), asked, choice.emplace(), line);
    }
    load.attach(executor, ranks, accelerators, chosen);

    std::optional<Beside> beside;
    if (!resolved.workload.beside.empty() && traffic.any())
        throw InputError(resolved.file, resolved.workload.line, "a kernel beside the workload and a replay GPU, which computes nothing",
            "full GPUs, or no kernel");
    if (!resolved.workload.beside.empty())
        beside.emplace(executor, Gemm::parse(resolved.workload.beside).value(), static_cast<std::uint32_t>(ranks),
            [&load] { return load.finished(); });

    RunResult result;
    if (options.plan) {
        if (load.driver() == nullptr)
            throw InputError(resolved.file, resolved.workload.line, "a trace has no plan to export", "a single collective");
        result.plan = write_msccl_xml(load.driver()->schedule());
    }
    result.seed = resolved.seed;
    result.estimate = estimate;
    result.choice = std::move(choice);
    result.system = resolved.name;
    result.endpoints = accelerators;
    result.nodes = resolved.graph().node_count();
    result.links = system.links().size();
    result.switches = system.switches().size();
    result.assumptions = std::move(assumptions);
    result.notices = resolved.notices;
    result.notices.insert(result.notices.end(), plan.notices.begin(), plan.notices.end());
    for (std::string& notice : traffic.notices(ranks)) result.notices.push_back(std::move(notice));
    for (const Diagnostic& notice : load.notices()) result.notices.push_back(notice.text());
    if (const CollectiveDriver* driver = load.driver(); driver != nullptr && !traffic.any() && resolved.workload.delays.empty() && resolved.workload.plan.empty() &&
        static_cast<FlagHome>(resolved.engine().flag_home) == FlagHome::waiter)
        result.theory = alpha_beta(resolved, plan, load.collective(ranks), driver->schedule());

    bool interrupted = false;
    ProgressLine progress(options.progress, expected_lines(load.driver(), resolved.workload));
    Agenda& agenda = system.agenda();
    agenda.set_watch([&](Time now) {
        interrupted = InterruptGuard::requested();
        if (progress.due()) progress.print(now, system.lines());
        return !interrupted;
    });
    const Time end = options.until.value_or(~Time{0});
    if (options.watch || options.window > 0 || options.follow) system.fabric().watch();
    std::optional<Followed> followed;
    if (options.follow) followed.emplace(executor);
    std::optional<TimeSeries> series;
    if (options.window > 0) series.emplace(system.fabric(), resolved.graph(), options.window);
    // While workgroups spin the agenda never runs empty: nodes beyond the look-ahead are fetched from here.
    system.progress().set_last_resort([&] {
        return executor.guarded([&] {
            while (!system.progress().anything_busy() && load.look_further()) {
            }
        }) && system.progress().anything_busy();
    });
    // The kernel's remark on a run that is stopped early would stand in the middle of a report.
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    result.elaborate_s = seconds_since(begun);

    const Clock::time_point started = Clock::now();
    load.start();
    const InterruptGuard interrupt;  // until here nothing has been simulated that would be worth keeping
    if (beside) beside->start();
    if (traffic.any()) {
        std::optional<Executor::JobId> job;
        if (load.driver() != nullptr) job = 0;
        traffic.start(system.accelerators(), executor, job, resolved.seed);
    }
    do {
        while (!agenda.idle()) {
            agenda.run_kernel(series ? std::min(end, series->next() - 1) : end);
            executor.rethrow();
            if (!series || agenda.idle() || agenda.stopped() || series->next() > end) break;
            if (InterruptGuard::requested()) {  // the watch sees no windows without items
                interrupted = true;
                agenda.stop();
                break;
            }
            series->close(series->next());
        }
    } while (!load.finished() && !agenda.stopped() && agenda.idle() && load.look_further());
    result.wall_s = seconds_since(started);

    const std::vector<ReplayGpu*> replays = system.replays();
    const bool all_replayed = std::all_of(replays.begin(), replays.end(),
        [](const ReplayGpu* replay) { return replay == nullptr || replay->finished(); });
    const bool ended = load.finished() && all_replayed && agenda.idle() && !agenda.stopped();
    if (ended) system.check_contents();
    result.problems = system.problems();
    if (ended && result.problems.empty()) result.problems = system.unsettled();
    result.fault = system.fault();
    if (!result.problems.empty()) {
        result.stop = StopReason::wrong;
    } else if (load.finished() && all_replayed) {
        result.stop = StopReason::finished;
    } else if (interrupted) {
        result.stop = StopReason::interrupted;
    } else if (options.until && !agenda.idle() && !system.cannot_progress()) {
        result.stop = StopReason::until;
    } else {
        result.stop = StopReason::deadlock;
        result.blocked = system.fabric().blocked_chain();
        for (std::string& line : load.blocked()) result.blocked.push_back(std::move(line));
        for (std::string& line : executor.blocked()) result.blocked.push_back(std::move(line));
        for (ReplayGpu* replay : replays)
            if (replay != nullptr)
                for (std::string& line : replay->blocked()) result.blocked.push_back(std::move(line));
        for (std::string& line : system.blocked()) result.blocked.push_back(std::move(line));
    }

    result.collectives = collective_results(executor);
    if (beside) result.beside = beside->result(resolved.workload.beside);
    result.ranks = rank_results(system, plan, load, accelerators);
    if (result.stop == StopReason::finished) {
        for (const RankResult& rank : result.ranks) result.simulated_ps = std::max(result.simulated_ps, rank.finish_ps);
    } else {
        result.simulated_ps = result.stop == StopReason::until ? *options.until : agenda.last();
    }
    for (RankResult& rank : result.ranks) rank.breakdown_ps = load.breakdown(rank.rank, result.simulated_ps);
    for (std::string& notice : load.notices_of_run()) result.notices.push_back(std::move(notice));
    result.protocol_problems = system.protocol_problems(result.stop == StopReason::finished);
    result.lines = system.lines();
    result.line_hops = system.line_hops();
    bool checked = false;
    for (const JobRecord& record : executor.records()) {
        checked = checked || record.checked;
        if (!record.mismatch.empty()) result.mismatches.push_back(record.name + ": " + record.mismatch);
    }
    if (checked) result.verified = result.mismatches.empty() ? "passed" : "failed";
    if (series) {
        series->close(std::max(agenda.last(), result.simulated_ps));
        result.series = series->csv();
    }
    if (options.record) {
        std::vector<std::string> names;
        for (const NodeId node : plan.members) names.push_back(plan.fabric.nodes[node].name);
        result.record = recorder.csv(names);
        if (recorder.left_out() > 0)
            result.notices.push_back(std::to_string(recorder.left_out()) +
                                     " lines are not in the profile: it has writes, reads and additions to flags");
    }
    result.link_results = link_results(system.fabric(), resolved.graph(), std::max(agenda.last(), result.simulated_ps));
    if (const CollectiveDriver* driver = load.driver(); driver != nullptr && result.stop == StopReason::finished)
        add_theory(system.fabric(), link_payload(plan, load.collective(ranks), driver->schedule()),
            result.link_results);
    if (followed) {
        result.paths = followed->paths();
        std::vector<std::string> names;
        for (const NodeId node : plan.members) names.push_back(plan.fabric.nodes[node].name);
        result.timeline = followed->timeline(names);
    }
    result.modules = module_results(system, resolved, plan);
    result.memory_bound = memory_bound_of(result, resolved, plan);
    result.parameters = explained_parameters(resolved, plan.used);
    return result;
}

}  // namespace weft
