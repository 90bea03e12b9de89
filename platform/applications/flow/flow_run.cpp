#include "platform/applications/flow/flow_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "base/units.h"
#include "collectives/engine/place_report.h"
#include "collectives/flow/programs/rank_writers.h"
#include "collectives/schedule/analysis/first_loads.h"
#include "platform/applications/flow/flow_notices.h"
#include "platform/applications/flow/flow_parameters.h"
#include "platform/console/interrupt.h"
#include "platform/simulation/trace_analysis.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/combining.h"
#include "platform/workload/dimension_rates_of.h"
#include "platform/workload/pricing_line.h"
#include "platform/workload/progress_line.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void refuse_options(const ResolvedSystem& system, const RunOptions& options)
{
    const std::string expected = "--fidelity line, or a run without this option";
    const std::pair<bool, const char*> not_there[] = {
        {options.check_protocol, "--check-protocol: there are no transactions to check"},
        {options.memory_limit.has_value(), "--memory-limit: flow fidelity has no estimate of its memory"},
        {options.record, "--record: there are no transactions to record"},
    };
    for (const auto& [asked, text] : not_there)
        if (asked) throw InputError("", 0, text, expected);
    if (system.engine().grain > line_bytes)
        throw InputError(system.file, system.workload.line, "engine.grain above 64 B: there are no transactions",
            expected);
}

}  // namespace

FlowRun::FlowRun(const ResolvedSystem& resolved, const RunOptions& options)
    : resolved_(resolved), options_(options), load_(resolved), fabric_(resolved, members(ranks_)),
      calibration_(calibration()), core_(fabric_.ranks(), fabric_.book(), fabric_.rules(ranks_, calibration_)),
      executor_(core_, resolved.engine(), fabric_.endpoints(),
          [this](std::shared_ptr<const Schedule> schedule, const EngineSpec& spec, std::uint64_t bytes,
              std::uint32_t element) {
              if (looked_at_.insert(schedule).second)
                  first_loads_ = std::max(first_loads_, most_first_loads(*schedule));
              return protocols_.carried_out(std::move(schedule), spec, bytes, element);
          }),
      views_(options, ranks_)
{
    views_.attach(core_, executor_);
    if (options_.until) core_.set_end(*options_.until);
    core_.set_switches([this] { return fabric_.switches(); });
    if (has_kernels() && flow_rules(ranks_).devices) core_.set_devices(fabric_.devices());
    set_beside();
    check_lists();
    load_.set_dimensions(dimensions(), ranks_);
    load_.ranks() > 0 ? attach_trace() : prepare_collective();
    if (fabric_.plan() != nullptr && combines()) combining_ = combining_assumptions(resolved_, *fabric_.plan(), ranks_);
    if (options_.strict) refuse_assumptions(combining_);
}

std::vector<NodeId> FlowRun::members(std::size_t& ranks)
{
    refuse_options(resolved_, options_);
    std::vector<NodeId> out = members_of(resolved_, load_.wanted());
    ranks = out.size();
    add_memories(resolved_, out);
    return out;
}

FlowCalibration FlowRun::calibration() const
{
    FlowCalibration out;
    if (options_.uncalibrated) out = uncalibrated();
    if (!options_.calibration.empty()) out = read_calibration(options_.calibration, resolved_);
    if (options_.credit_wait) out.set(*options_.credit_wait);
    return out;
}

// Without kernels, times are those of collectives alone.
bool FlowRun::has_kernels() const
{
    return !resolved_.workload.beside.empty() || load_.has_memory_nodes() ||
        (load_.ranks() > 0 && resolved_.engine().compute == ComputeMode::kernel);
}

void FlowRun::set_beside()
{
    const std::string& kernel = resolved_.workload.beside;
    if (kernel.empty()) return;
    if (!core_.has_devices())
        throw InputError(resolved_.file, resolved_.workload.line,
            fmt::format("a background kernel on {} ranks: flow fidelity has units, caches and memories that it would "
                        "share with collectives for up to {} ranks",
                ranks_, most_ranks_whole),
            "fewer ranks, --fidelity line, or no background kernel");
    for (std::size_t rank = 0; rank < ranks_; ++rank)
        if (const std::uint64_t places = resolved_.gpu(fabric_.members()[rank]).wavefronts_per_unit;
            places < Gemm::wavefronts)
            throw InputError(resolved_.file, resolved_.workload.line,
                fmt::format("a background kernel on units with gpu.wavefronts_per_unit = {}: at flow fidelity its "
                            "workgroups have {} wavefronts",
                    places, Gemm::wavefronts),
                fmt::format("gpu.wavefronts_per_unit of at least {}, or --fidelity line", Gemm::wavefronts));
    beside_.emplace(executor_, Gemm::parse(kernel).value(), static_cast<std::uint32_t>(ranks_),
        [this] { return finished(); });
    views_.show(*beside_);
}

// Refuses requested outputs that this run cannot give, before it begins.
void FlowRun::check_lists() const
{
    if (options_.strict && fabric_.plan() == nullptr)
        throw InputError(resolved_.infrastructure, 0,
            "--strict on a document that is too large to list the parts in use",
            "weft check, which lists all assumptions");
    if (options_.strict) refuse_assumptions(assumptions_among(resolved_.assumptions, fabric_.plan()->used));
    if (options_.plan && load_.ranks() > 0)
        throw InputError(resolved_.file, resolved_.workload.line, "a trace has no plan to export",
            "a single collective");
}

std::vector<Dimension> FlowRun::dimensions() const
{
    if (fabric_.plan() != nullptr)
        return dimensions_with_rates(resolved_, *fabric_.plan(), static_cast<std::uint32_t>(ranks_));
    if (!resolved_.workload.dimensions.empty() || !resolved_.workload.plan.empty())
        return resolved_.workload.dimensions;
    std::vector<std::string> nodes;
    for (std::size_t rank = 0; rank < ranks_; ++rank)
        nodes.push_back(resolved_.graph().node(fabric_.members()[rank]).name);
    return device_dimensions(nodes);
}

bool FlowRun::combines() const
{
    if (large_ || load_.driver() == nullptr) return may_combine_in_switches(resolved_.workload.algorithm);
    return combines_in_switches(load_.driver()->schedule());
}

void FlowRun::prepare_collective()
{
    request_ = load_.collective(ranks_);
    if (request_->algorithm.empty() && !request_->schedule) request_->algorithm = algorithm_names(request_->op).front();
    written_channels_ = request_->options.channels;
    const EngineSpec& engine = resolved_.engine();
    const bool plain = engine.protocol == Protocol::simple && engine.slices <= 1 &&
        engine.staging == StagingMode::none && engine.channel != EngineChannel::port &&
        engine.channel != EngineChannel::in_switch;
    const bool named = !request_->schedule && !is_choice(resolved_.workload.algorithm);
    if (named && plain && ranks_ > most_ranks_whole &&
        writes_by_rank(request_->algorithm, request_->op, static_cast<std::uint32_t>(ranks_), request_->options) &&
        !(ranks_ <= most_ranks_of_schedule && needs_layout(*request_))) {
        if (options_.plan)
            throw InputError(resolved_.file, resolved_.workload.line,
                fmt::format("a collective over {} ranks is generated rank by rank and has no plan to export", ranks_),
                fmt::format("at most {} ranks", most_ranks_whole));
        large_.emplace(executor_, *request_);
        if (large_->short_signals()) core_.shorten_signals();
        written_channels_ = large_->played();
        executor_.set_threads_each(request_->options.channels / large_->played());
        find_symmetry();
    } else {
        attach_collective(named);
    }
}

void FlowRun::find_symmetry()
{
    std::string why;
    views_.fit(large_->program());
    if (!options_.symmetry)
        why = "not asked for";
    else if (views_.follows())
        why = views_follow;
    else if (!large_->plain())
        why = "ranks enter late, or are not the endpoints in their order";
    else
        why = fabric_.fold_links(large_->program());
    symmetry_ = why.empty() ? fmt::format("on: 1 of {} ranks is run for all", ranks_) : "off: " + why;
    if (!why.empty()) return;
    large_->run_one_for_all();
    executor_.run_one_for_all();
}

void FlowRun::attach_trace()
{
    if (is_choice(resolved_.workload.algorithm)) require_priceable(resolved_, ranks_);
    if (is_choice(resolved_.workload.algorithm)) load_.choose(*fabric_.plan(), options_.progress);
    if (ranks_ <= most_ranks_whole) executor_.remember_buffers();
    load_.attach(executor_, ranks_, ranks_, nullptr);
}

void FlowRun::attach_collective(bool named)
{
    if (is_choice(resolved_.workload.algorithm)) require_priceable(resolved_, ranks_);
    if (ranks_ > most_ranks_of_schedule)
        throw InputError(resolved_.file, resolved_.workload.line,
            fmt::format("{} over {} ranks by '{}' needs its whole schedule", name_of(request_->op), ranks_,
                request_->schedule ? request_->schedule->name : request_->algorithm),
            fmt::format("at most {} ranks, or {} under engine.protocol=simple in one slice", most_ranks_of_schedule,
                algorithms_by_rank(request_->op)));
    // Steps in switches are refused before the schedule is written, which may grow with the cube of the ranks.
    const AlgorithmInfo* const info = named ? algorithm_info(request_->op, request_->algorithm) : nullptr;
    if (ranks_ > 1 && info != nullptr && info->carrier == Carrier::in_switch)
        at_workload(resolved_, [this] { executor_.require_switches(request_->algorithm); });
    std::shared_ptr<const Schedule> schedule;
    if (named) {
        schedule = std::make_shared<Schedule>(played_schedule(*request_, request_->algorithm, written_channels_));
    } else if (!request_->schedule) {
        PricingLine line(options_.progress);
        const CostGraph graph = cost_graph_of(resolved_, *fabric_.plan(), request_->members);
        ChosenSchedule chosen = chosen_schedule(resolved_, graph, *request_, choice_.emplace(), line,
            [this](const Schedule& one) { return played_channels(*request_, one); });
        schedule = std::move(chosen.schedule);
        written_channels_ = chosen.channels;
    }
    executor_.set_threads_each(request_->options.channels / written_channels_);
    load_.attach(executor_, ranks_, ranks_, schedule);
}

std::string FlowRun::progress_text(double seconds) const
{
    const double messages = static_cast<double>(core_.messages());
    std::string text = fmt::format("weft: simulated {}, {:.1f} M messages, {:.2f} M messages/s",
        format_time_ps(core_.now()), messages / 1e6, messages / 1e6 / seconds);
    // Only kernels that end are counted, so the run goes on until those under way have ended.
    if (beside_ && finished()) text += "; the workload has ended, its background kernel has not";
    return text;
}

RunResult FlowRun::run()
{
    RunResult result;
    result.elaborate_s = seconds_since(begun_);
    const Clock::time_point started = Clock::now();
    bool interrupted = false;
    {
        const InterruptGuard guard;
        ProgressLine line(options_.progress, 0);
        if (views_.follows()) load_.follow(views_.nodes());
        large_ ? large_->start() : load_.start();
        if (beside_) beside_->start();
        if (request_) views_.require_recorded(resolved_);
        do {
            core_.run(options_.until.value_or(~Time{0}), [&interrupted, &line, this] {
                if (line.due()) line.show(progress_text(line.seconds()));
                return (interrupted = InterruptGuard::requested()) || tied();
            });
        } while (!interrupted && !tied() && !finished() && core_.idle() && let_one_more_in());
        interrupted = interrupted || (!finished() && InterruptGuard::requested());
    }
    result.wall_s = seconds_since(started);
    if (finished()) {
        result.stop = StopReason::finished;
    } else if (interrupted) {
        result.stop = StopReason::interrupted;
    } else if (options_.until && !core_.idle()) {
        result.stop = StopReason::until;
    } else {
        result.stop = StopReason::deadlock;
        result.blocked = full_places(places_of(core_, ranks_));
        if (!large_)
            for (std::string& line : load_.blocked()) result.blocked.push_back(std::move(line));
        for (std::string& line : core_.blocked()) result.blocked.push_back(std::move(line));
    }
    const Time last = result.stop == StopReason::until ? *options_.until : core_.now();
    if (!finished()) core_.cut_off(last);
    views_.finish(last, finished());
    gather(result);
    return result;
}

}  // namespace weft
