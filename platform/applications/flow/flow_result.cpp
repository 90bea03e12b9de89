#include "platform/applications/flow/flow_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/engine/place_report.h"
#include "collectives/plans/export_order.h"
#include "collectives/plans/msccl_writer.h"
#include "platform/applications/flow/flow_notices.h"
#include "platform/applications/flow/flow_parameters.h"
#include "platform/applications/flow/listed_links.h"
#include "platform/simulation/gathered.h"
#include "platform/workload/combining.h"

namespace weft {

void FlowRun::gather(RunResult& result)
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
    result.simulated_ps = result.stop == StopReason::until ? *options_.until : core_.now();
    if (result.stop == StopReason::until || result.stop == StopReason::interrupted)
        fabric_.set_end(result.simulated_ps);
    gather_ranks(result);
    result.counted_ps = std::max(result.simulated_ps, result.beside ? result.beside->end_ps : 0);
    views_.add_to(result, fabric_, large_ && large_->one_for_all());
    tell(result);
    gather_links(result);
    if (options_.plan) export_plan(result);
    if (fabric_.plan() == nullptr) return;
    result.parameters = explained_parameters(resolved_, fabric_.plan()->used);
    result.assumptions = assumptions_among(resolved_.assumptions, fabric_.plan()->used);
    result.assumptions.insert(result.assumptions.end(), combining_.begin(), combining_.end());
}

// simulated_ps, of a finished run, is the end of its last rank.
void FlowRun::gather_ranks(RunResult& result) const
{
    const std::vector<Picoseconds> finish = large_ ? large_->finish_times() : load_.finish_times();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
        RankResult of;
        of.rank = rank;
        of.node = resolved_.graph().node(fabric_.members()[rank]).name;
        of.finish_ps = rank < finish.size() ? finish[rank] : 0;
        result.ranks.push_back(std::move(of));
    }
    if (result.stop == StopReason::finished) {
        result.simulated_ps = 0;
        for (const RankResult& rank : result.ranks) result.simulated_ps = std::max(result.simulated_ps, rank.finish_ps);
    }
    if (large_) return;
    for (RankResult& rank : result.ranks) {
        rank.breakdown_ps = load_.breakdown(rank.rank, result.simulated_ps);
        rank.operations = load_.operations(rank.rank);
        rank.accesses_left_out = load_.leaves_accesses_out(rank.rank);
    }
}

void FlowRun::gather_links(RunResult& result)
{
    std::vector<LinkResult> links = fabric_.links();
    const std::size_t busy = links.size();
    if (result.stop == StopReason::finished) tell_overfull(links, result.counted_ps, result.notices);
    result.link_results = listed_links(std::move(links), result.notices);
    result.links_left_out = result.link_results.size() < busy;
}

void FlowRun::export_plan(RunResult& result)
{
    const Schedule& schedule = load_.driver()->schedule();
    result.plan = write_msccl_xml(schedule);
    if (std::string lost = export_changes(schedule, result.plan); !lost.empty())
        result.notices.push_back(std::move(lost));
}

void FlowRun::tell(RunResult& result)
{
    if (result.stop == StopReason::finished) result.verified = proved(executor_);
    const bool passed = result.verified == "passed";
    result.verification = passed ? "symbolic" : "";
    if (large_ && passed)
        result.verification = fmt::format("symbolic, of the same algorithm over {} ranks", large_->proof_ranks());
    result.notices = resolved_.notices;
    for (std::string& notice : fabric_.notices()) result.notices.push_back(std::move(notice));
    for (const Diagnostic& notice : load_.notices()) result.notices.push_back(notice.text());
    if (request_ && written_channels_ < request_->options.channels)
        result.notices.push_back(fmt::format("{} channels are simulated as {}, each for {}", request_->options.channels,
            written_channels_, request_->options.channels / written_channels_));
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
    tell_symmetry(result.notices);
    for (std::string& notice : views_.notices(result)) result.notices.push_back(std::move(notice));
    tell_limits(result.notices);
}

void FlowRun::tell_symmetry(std::vector<std::string>& notices) const
{
    if (large_ && large_->one_for_all())
        notices.push_back(fmt::format("symmetry: 1 of {} ranks is run for all, which gives the same times "
                                      "(--symmetry off runs all)",
            ranks_));
    if (symmetry_.find(views_follow) != std::string::npos)
        notices.push_back("symmetry: all ranks are run, because " + std::string(views_follow));
}

void FlowRun::tell_limits(std::vector<std::string>& notices) const
{
    if (calibration_.kind == "file" && !flow_rules(ranks_).links.waits)
        notices.push_back(fmt::format("--calibration has no effect beyond {} ranks, where nothing waits for "
                                      "packets",
            most_ranks_whole));
    if (fabric_.plan() == nullptr)
        notices.push_back("parameters and assumptions are not listed for a document of this size: weft "
                          "explain and weft check list them");
}

}  // namespace weft
