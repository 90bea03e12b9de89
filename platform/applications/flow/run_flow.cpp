#include "platform/applications/flow/run_flow.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "base/units.h"
#include "collectives/engine/place_report.h"
#include "collectives/engine/protocol_choice.h"
#include "collectives/flow/programs/rank_writers.h"
#include "collectives/plans/export_order.h"
#include "collectives/plans/msccl_writer.h"
#include "collectives/schedule/analysis/first_loads.h"
#include "collectives/schedule/verification/verify.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/flow_notices.h"
#include "platform/applications/flow/flow_parameters.h"
#include "platform/applications/flow/flow_views.h"
#include "platform/applications/flow/large_collective.h"
#include "platform/applications/flow/listed_links.h"
#include "platform/console/interrupt.h"
#include "platform/simulation/background_kernel.h"
#include "platform/simulation/gathered.h"
#include "platform/simulation/trace_analysis.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/combining.h"
#include "platform/workload/dimension_rates_of.h"
#include "platform/workload/pricing_line.h"
#include "platform/workload/progress_line.h"
#include "platform/workload/run_workload.h"

namespace weft {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* views_follow = "the operations of all ranks are asked for (--critical-path, --timeline, --html)";

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

class FlowRun {
public:
    FlowRun(const ResolvedSystem& resolved, const RunOptions& options)
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
        if (fabric_.plan() != nullptr && combines())
            combining_ = combining_assumptions(resolved_, *fabric_.plan(), ranks_);
        if (options_.strict) refuse_assumptions(combining_);
    }

    // Whether one rank cannot stand for all, after all: the run is to be made without that.
    bool tied() const { return core_.ties() > 0; }

    RunResult run()
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

private:
    std::string progress_text(double seconds) const
    {
        const double messages = static_cast<double>(core_.messages());
        std::string text = fmt::format("weft: simulated {}, {:.1f} M messages, {:.2f} M messages/s",
            format_time_ps(core_.now()), messages / 1e6, messages / 1e6 / seconds);
        // Only kernels that end are counted, so the run goes on until those under way have ended.
        if (beside_ && finished()) text += "; the workload has ended, its background kernel has not";
        return text;
    }

    std::vector<NodeId> members(std::size_t& ranks)
    {
        refuse_options(resolved_, options_);
        std::vector<NodeId> out = members_of(resolved_, load_.wanted());
        ranks = out.size();
        add_memories(resolved_, out);
        return out;
    }

    FlowCalibration calibration() const
    {
        FlowCalibration out;
        if (options_.uncalibrated) out = uncalibrated();
        if (!options_.calibration.empty()) out = read_calibration(options_.calibration, resolved_);
        if (options_.credit_wait) out.set(*options_.credit_wait);
        return out;
    }

    // Without kernels, times are those of collectives alone.
    bool has_kernels() const
    {
        return !resolved_.workload.beside.empty() || load_.has_memory_nodes() ||
            (load_.ranks() > 0 && resolved_.engine().compute == ComputeMode::kernel);
    }

    void set_beside()
    {
        const std::string& kernel = resolved_.workload.beside;
        if (kernel.empty()) return;
        if (!core_.has_devices())
            throw InputError(resolved_.file, resolved_.workload.line,
                fmt::format(
                    "a background kernel on {} ranks: flow fidelity has units, caches and memories that it would "
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

    // What is asked for and cannot be had is said before anything runs.
    void check_lists() const
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

    std::vector<Dimension> dimensions() const
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

    bool combines() const
    {
        if (large_ || load_.driver() == nullptr) return may_combine_in_switches(resolved_.workload.algorithm);
        return combines_in_switches(load_.driver()->schedule());
    }

    void prepare_collective()
    {
        request_ = load_.collective(ranks_);
        if (request_->algorithm.empty() && !request_->schedule)
            request_->algorithm = algorithm_names(request_->op).front();
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
                    fmt::format("a collective over {} ranks is generated rank by rank and has no plan to export",
                        ranks_),
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

    void find_symmetry()
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

    void attach_trace()
    {
        if (is_choice(resolved_.workload.algorithm)) require_priceable(resolved_, ranks_);
        if (is_choice(resolved_.workload.algorithm)) load_.choose(*fabric_.plan(), options_.progress);
        if (ranks_ <= most_ranks_whole) executor_.remember_buffers();
        load_.attach(executor_, ranks_, ranks_, nullptr);
    }

    void attach_collective(bool named)
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

    bool finished() const { return large_ ? large_->finished() : load_.finished(); }
    bool let_one_more_in() { return !large_ && load_.let_one_more_in(); }

    void gather(RunResult& result)
    {
        result.fidelity = "flow";
        result.calibration = calibration_.kind;
        result.messages = core_.messages() * (large_ && large_->one_for_all() ? ranks_ : 1);
        result.symmetry = symmetry_;
        result.seed = resolved_.seed;
        result.system = resolved_.name;
        result.endpoints = ranks_;
        result.nodes = resolved_.graph().node_count();
        result.links = fabric_.link_count();
        result.switches = fabric_.switch_count();
        result.choice = std::move(choice_);
        result.collectives = collective_results(executor_);
        if (beside_) result.beside = beside_->result(resolved_.workload.beside);
        const std::vector<Picoseconds> finish = large_ ? large_->finish_times() : load_.finish_times();
        for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
            RankResult of;
            of.rank = rank;
            of.node = resolved_.graph().node(fabric_.members()[rank]).name;
            of.finish_ps = rank < finish.size() ? finish[rank] : 0;
            result.ranks.push_back(std::move(of));
        }
        result.simulated_ps = result.stop == StopReason::until ? *options_.until : core_.now();
        if (result.stop == StopReason::until || result.stop == StopReason::interrupted)
            fabric_.set_end(result.simulated_ps);
        if (result.stop == StopReason::finished) {
            result.simulated_ps = 0;
            for (const RankResult& rank : result.ranks)
                result.simulated_ps = std::max(result.simulated_ps, rank.finish_ps);
        }
        result.counted_ps = std::max(result.simulated_ps, result.beside ? result.beside->end_ps : 0);
        if (!large_)
            for (RankResult& rank : result.ranks) {
                rank.breakdown_ps = load_.breakdown(rank.rank, result.simulated_ps);
                rank.operations = load_.operations(rank.rank);
                rank.accesses_left_out = load_.leaves_accesses_out(rank.rank);
            }
        views_.add_to(result, fabric_, large_ && large_->one_for_all());
        tell(result);
        std::vector<LinkResult> links = fabric_.links();
        const std::size_t busy = links.size();
        if (result.stop == StopReason::finished) tell_overfull(links, result.counted_ps, result.notices);
        result.link_results = listed_links(std::move(links), result.notices);
        result.links_left_out = result.link_results.size() < busy;
        if (options_.plan) export_plan(result);
        if (fabric_.plan() == nullptr) return;
        result.parameters = explained_parameters(resolved_, fabric_.plan()->used);
        result.assumptions = assumptions_among(resolved_.assumptions, fabric_.plan()->used);
        result.assumptions.insert(result.assumptions.end(), combining_.begin(), combining_.end());
    }

    void export_plan(RunResult& result)
    {
        const Schedule& schedule = load_.driver()->schedule();
        result.plan = write_msccl_xml(schedule);
        if (std::string lost = export_changes(schedule, result.plan); !lost.empty())
            result.notices.push_back(std::move(lost));
    }

    void tell(RunResult& result)
    {
        // Only a run that ended and had collectives is verified.
        const bool ended = result.stop == StopReason::finished && !result.collectives.empty();
        result.verified = ended ? "passed" : "off";
        result.verification = ended ? "symbolic" : "";
        if (large_ && ended)
            result.verification = fmt::format("symbolic, of the same algorithm over {} ranks", large_->proof_ranks());
        result.notices = resolved_.notices;
        for (std::string& notice : fabric_.notices()) result.notices.push_back(std::move(notice));
        for (const Diagnostic& notice : load_.notices()) result.notices.push_back(notice.text());
        if (request_ && written_channels_ < request_->options.channels)
            result.notices.push_back(fmt::format("{} channels are simulated as {}, each for {}",
                request_->options.channels, written_channels_, request_->options.channels / written_channels_));
        if (large_ && !large_->notice().empty()) result.notices.push_back(large_->notice());
        // A trace of compute nodes alone takes the same time by lines.
        const bool moves = has_kernels() || !executor_.records().empty();
        const bool kernels = has_kernels() && flow_rules(ranks_).devices;
        if (std::string text = unfollowed_notice(resolved_, kernels, fabric_.plan() != nullptr); moves && !text.empty())
            result.notices.push_back(std::move(text));
        const Schedule* const known = large_ || load_.driver() == nullptr ? nullptr : &load_.driver()->schedule();
        for (std::string& notice : flow_notices(resolved_, core_, executor_, ranks_, first_loads_, known))
            result.notices.push_back(std::move(notice));
        for (std::string& notice : load_.notices_of_run()) result.notices.push_back(std::move(notice));
        if (std::string notice = held_places_notice(places_of(core_, ranks_)); !notice.empty())
            result.notices.push_back(std::move(notice));
        if (large_ && large_->one_for_all())
            result.notices.push_back(fmt::format("symmetry: 1 of {} ranks is run for all, which gives the same times "
                                                 "(--symmetry off runs all)",
                ranks_));
        if (symmetry_.find(views_follow) != std::string::npos)
            result.notices.push_back("symmetry: all ranks are run, because " + std::string(views_follow));
        for (std::string& notice : views_.notices(result)) result.notices.push_back(std::move(notice));
        if (calibration_.kind == "file" && !flow_rules(ranks_).links.waits)
            result.notices.push_back(fmt::format("--calibration has no effect beyond {} ranks, where nothing waits for "
                                                 "packets",
                most_ranks_whole));
        if (fabric_.plan() == nullptr)
            result.notices.push_back("parameters and assumptions are not listed for a document of this size: weft "
                                     "explain and weft check list them");
    }

    const Clock::time_point begun_ = Clock::now();
    const ResolvedSystem& resolved_;
    const RunOptions& options_;
    RunWorkload load_;
    std::size_t ranks_ = 0;
    FlowFabric fabric_;
    const FlowCalibration calibration_;
    FlowCore core_;
    ProtocolChoice protocols_;
    FlowExecutor executor_;
    FlowViews views_;
    std::set<std::shared_ptr<const Schedule>> looked_at_;  // for first_loads_: jobs of a trace share schedules
    std::uint32_t first_loads_ = 0;
    std::optional<CollectiveRequest> request_;
    std::optional<LargeCollective> large_;
    std::optional<BackgroundKernel> beside_;
    std::optional<ChoiceResult> choice_;
    std::vector<Assumption> combining_;
    std::uint32_t written_channels_ = 1;
    std::string symmetry_;  // of a large collective
};

}  // namespace

RunResult run_flow(const ResolvedSystem& resolved, const RunOptions& options)
{
    {
        FlowRun run(resolved, options);
        RunResult result = run.run();
        if (!run.tied() || result.stop == StopReason::interrupted) return result;
    }
    RunOptions all = options;
    all.symmetry = false;
    RunResult result = FlowRun(resolved, all).run();
    result.symmetry = "off: transfers come to one link at the same time, and their order counts";
    return result;
}

}  // namespace weft
