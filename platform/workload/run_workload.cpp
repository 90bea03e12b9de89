#include "platform/workload/run_workload.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/engine/traces/chunk_scheduling.h"
#include "collectives/engine/lines/job_room.h"
#include "collectives/engine/protocol_choice.h"
#include "platform/assembly/switch_groups.h"
#include "platform/choice/cost_graph_of.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/idle_compute.h"

namespace weft {

namespace {

constexpr std::size_t most_ranks_checked = 512;

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
        throw InputError(workload.file_of("collective", system.file), workload.line_of("collective"),
            "unknown collective '" + workload.collective + "'", "a collective of 'weft run --help'");
    request.algorithm = workload.algorithm;
    if (request.algorithm.empty() && workload.plan.empty()) request.algorithm = algorithm_names(request.op).front();
    request.bytes = workload.bytes;
    if (!element_type_from_name(workload.element, request.type))
        throw InputError(workload.file_of("type", system.file), workload.line_of("type"),
            "unknown element type '" + workload.element + "'", "int32, fp32, bf16 or u8");
    if (request.bytes % size_of(request.type) != 0)
        throw InputError(workload.file_of("bytes", system.file), workload.line_of("bytes"),
            std::to_string(request.bytes) + " bytes are not a whole number of " + workload.element + " elements",
            "a multiple of " + std::to_string(size_of(request.type)) + ", or element u8");
    request.options.channels = system.engine().channels_for(request.bytes, system.engine().channels);
    request.options.root = static_cast<std::uint32_t>(workload.root);
    request.options.rings = static_cast<std::uint32_t>(std::min<std::uint64_t>(workload.rings, UINT32_MAX));
    if (workload.pipeline > 0)
        request.options.pipeline = static_cast<std::uint32_t>(std::min<std::uint64_t>(workload.pipeline, UINT32_MAX));
    request.options.dimensions = dimensions;
    request.options.scheduling = scheduling_of(system.engine());
    request.options.reduction = workload.reduction == "min" ? ReduceOp::min
        : workload.reduction == "max"                       ? ReduceOp::max
                                                            : ReduceOp::sum;
    for (std::uint32_t e = 0; e < ranks; ++e) request.members.push_back(e);
    for (const auto& [rank, delay] : workload.delays) {
        if (rank >= ranks)
            throw InputError(workload.file_of("delay", system.file), workload.line_of("delay"),
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

}  // namespace

namespace {

// The key whose value a problem with the schedule is about, by its name in it.
std::string key_of(const std::string& problem, const Workload& workload)
{
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (const char* key : {"root", "rings", "pipeline", "dimensions", "ranks", "bytes"}) {
        const std::string name = key;
        if (workload.lines.find(name) == workload.lines.end()) continue;
        for (std::size_t at = problem.find(name); at != std::string::npos; at = problem.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at == 0 || !is_letter(problem[at - 1])) && (end == problem.size() || !is_letter(problem[end])))
                return name;
        }
    }
    return "algorithm";
}

ProtocolSetting protocol_setting(const ResolvedSystem& system)
{
    const Block block = block_of<EngineSpec>();
    const Variant& values = system.values(block, system.variants(block).front());
    const std::size_t parameter = *info_of(block).find("protocol");
    return {system.engine().protocol, !system.source(values.sources[parameter]).file.empty()};
}

}  // namespace

void at_workload(const ResolvedSystem& system, const std::function<void()>& make)
{
    try {
        make();
    } catch (const InputError& error) {
        if (system.file.empty()) throw;
        std::vector<Diagnostic> placed = error.diagnostics();
        for (Diagnostic& problem : placed)
            if (problem.file.empty()) {
                const std::string key = key_of(problem.what, system.workload);
                problem.file = system.workload.file_of(key, system.file);
                problem.line = system.workload.line_of(key);
            }
        throw InputError(std::move(placed));
    }
}

RunWorkload::RunWorkload(const ResolvedSystem& system) : system_(system)
{
    const Workload& workload = system.workload;
    if (workload.kind == Workload::Kind::trace) {
        chakra::TraceSetOptions options;
        options.ranks = static_cast<std::uint32_t>(workload.rank_count);
        options.group_file = workload.groups;
        traces_ = chakra::TraceSet::open(workload.trace, options);
        chakra::Policy policy;
        policy.dependencies = dependencies_of(workload);
        policy.priorities = system.engine().collective_order == CollectiveOrder::priority;
        policy.roofline = system.engine().compute_time == ComputeTime::roofline;
        policy.dimensions = sizes_of(workload.dimensions, traces_->ranks());
        verdict_ = chakra::validate(*traces_, policy);
        verdict_.require_runnable();
    } else if (workload.kind == Workload::Kind::none) {
        throw InputError(system.file, 0, "the workload is missing", "a workload (--collective, --plan or --trace)");
    } else if (!workload.plan.empty()) {
        plan_ = load_plan(workload, system.file, protocol_setting(system));
    }
}

bool RunWorkload::by_units_only() const
{
    const EngineSpec& engine = system_.engine();
    const bool units = engine.mover == Mover::units || engine.mover == Mover::bulk;
    return units && engine.channel != EngineChannel::port && !plan_ && !traces_;
}

CollectiveRequest RunWorkload::collective(std::size_t members) const
{
    CollectiveRequest request = collective_request(system_, members, dimensions_);
    if (plan_) plan_->apply(request);
    return request;
}

void RunWorkload::require_endpoints(const ReplayTraffic& traffic, std::size_t ranks) const
{
    const Workload& workload = system_.workload;
    if (traces_ && traffic.any_of(ranks))
        throw InputError(system_.file, workload.line, "a rank of the trace is a replay GPU, which cannot execute nodes",
            "full GPUs as ranks (ranks: [GLOB, ...])");
    if (!workload.beside.empty() && traffic.any())
        throw InputError(system_.file, workload.line, "a background kernel on a replay GPU, which cannot compute",
            "full GPUs, or no background kernel");
}

void RunWorkload::require_schedule(std::size_t members, const FabricPlan* plan) const
{
    if (traces_) return;
    const CollectiveRequest request = collective(members);
    if (is_choice(request.algorithm)) return require_priceable(system_, members);
    // Larger ones are written rank by rank.
    if (!request.schedule && members > most_ranks_checked) return;
    Job job;
    job.bytes = request.bytes;
    job.type = request.type;
    job.members = request.members;
    job.name = name_of(request.op);
    at_workload(system_, [&] {
        job.schedule = request.schedule ? request.schedule
                                        : std::make_shared<const Schedule>(make_held_schedule(request.algorithm,
                                              request.op, static_cast<std::uint32_t>(members), request.options));
        if (request.bytes > 0)
            job.schedule = ProtocolChoice().carried_out(job.schedule, system_.engine(), request.bytes,
                static_cast<std::uint32_t>(size_of(request.type)));
    });
    if (plan == nullptr || request.bytes == 0) return;
    std::vector<std::string> names;
    std::vector<std::uint64_t> capacities;
    for (const NodeId node : plan->members) {
        names.push_back(system_.graph().node(node).name);
        capacities.push_back(system_.hbm(node).capacity);
    }
    SwitchGroups groups(system_, *plan);
    require_room(job, system_.engine(), names, capacities, &groups);
}

void RunWorkload::attach(Executor& executor, std::size_t members, std::size_t accelerators,
    std::shared_ptr<const Schedule> schedule)
{
    if (!traces_) {
        CollectiveRequest request = collective(members);
        if (schedule) request.schedule = std::move(schedule);
        at_workload(system_, [&] { driver_.emplace(executor, std::move(request)); });
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

bool RunWorkload::has_memory_nodes() const
{
    return std::any_of(verdict_.summaries.begin(), verdict_.summaries.end(), [](const chakra::Summary& summary) {
        return summary.types.count("MEM_LOAD_NODE") + summary.types.count("MEM_STORE_NODE") > 0;
    });
}

// The notice about dimensions that were chosen for an algorithm, because nobody states any and the devices do not form any.
std::string RunWorkload::default_dimensions() const
{
    CollectiveOp op{};
    const Workload& workload = system_.workload;
    if (traces_ || !dimensions_.empty() || !workload.plan.empty() || !collective_from_name(workload.collective, op) ||
        !option_use(op, workload.algorithm).dimensions)
        return "";
    const std::vector<Dimension> chosen = dimensions_of({}, static_cast<std::uint32_t>(members_));
    return fmt::format("{} over dimensions of {} x {} ranks, as near to square as divides them{}: none are stated, and "
                       "the ranks do not "
                       "fill several devices alike (--dimensions)",
        workload.algorithm, chosen[0].size, chosen[1].size, chosen[1].size == 1 ? ", so one alone" : "");
}

std::vector<std::string> RunWorkload::notices_of_run() const
{
    std::vector<std::string> out = choice_ ? choice_->notices() : std::vector<std::string>();
    if (driver_) out.insert(out.end(), driver_->notices().begin(), driver_->notices().end());
    if (std::string notice = default_dimensions(); !notice.empty()) out.push_back(std::move(notice));
    if (!engine_) return out;
    for (std::string& notice : engine_->notices()) out.push_back(std::move(notice));
    if (!engine_->finished()) return out;
    TraceEngine::Operations all;
    for (std::uint32_t rank = 0; rank < traces_->ranks(); ++rank) {
        all.nodes += engine_->operations(rank).nodes;
        all.rooflines += engine_->operations(rank).rooflines;
        all.products += engine_->operations(rank).products;
    }
    for (std::string& notice : idle_compute(system_, all)) out.push_back(std::move(notice));
    return out;
}

std::optional<double> RunWorkload::operations(std::uint32_t rank) const
{
    if (engine_ == nullptr) return std::nullopt;
    if (rank >= traces_->ranks()) return 0.0;  // a replay GPU beside them
    if (engine_->operations(rank).not_stated > 0) return std::nullopt;
    return engine_->operations(rank).done;
}

bool RunWorkload::leaves_accesses_out(std::uint32_t rank) const
{
    return engine_ != nullptr && rank < traces_->ranks() && engine_->operations(rank).only_timed > 0;
}

std::vector<std::pair<std::string, Time>> RunWorkload::breakdown(std::uint32_t rank, Time end) const
{
    std::vector<std::pair<std::string, Time>> out;
    if (!engine_ || rank >= traces_->ranks()) return out;
    const Breakdown::Times times = engine_->breakdown(rank, end);
    for (unsigned a = 0; a < activity_count; ++a) out.emplace_back(name_of(static_cast<Activity>(a)), times[a]);
    return out;
}

}  // namespace weft
