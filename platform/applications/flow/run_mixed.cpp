#include "platform/applications/flow/run_mixed.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/flow_notices.h"
#include "platform/applications/flow/flow_parameters.h"
#include "platform/applications/flow/line_part.h"
#include "platform/applications/flow/listed_links.h"
#include "platform/applications/flow/mixed_executor.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/simulation/gathered.h"
#include "platform/simulation/surroundings.h"
#include "platform/workload/chosen_schedule.h"
#include "platform/workload/combining.h"
#include "tlm_interconnect/link/destination_lines.h"

namespace weft {

namespace {

// Lines at the border take turns with transfers that have booked a link ahead, which loads with requests of their own do not.
FlowProfile mixed_rules(const FlowFabric& fabric, std::size_t ranks)
{
    FlowProfile out = fabric.rules(ranks);
    out.links.requests = false;
    return out;
}

// Asked before a schedule is written, which may grow with the cube of the ranks; of plans and choices only the schedule tells.
bool names_steps_in_switches(const Workload& workload)
{
    return workload.kind == Workload::Kind::collective && workload.plan.empty() && !is_choice(workload.algorithm) &&
        may_combine_in_switches(workload.algorithm);
}

void refuse_of_mixed(const ResolvedSystem& system, const RunOptions& options)
{
    const EngineSpec& engine = system.engine();
    const std::string expected = "a run without it, or --fidelity line";
    const std::string none = "mixed fidelity has no ";
    if (options.record) throw InputError("", 0, none + "--record", expected);
    if (options.follow) throw InputError("", 0, none + "--critical-path, --timeline or --html", expected);
    const std::pair<bool, const char*> not_there[] = {
        {engine.grain > line_bytes, "engine.grain above 64 B"},
        {engine.protocol != Protocol::simple, "engine.protocol other than simple"},
        {engine.mover != Mover::units, "engine.mover other than units"},
        {engine.channel == EngineChannel::port || engine.channel == EngineChannel::in_switch,
            "engine.channel=port or in_switch"},
        {engine.flag_home != FlagHome::waiter, "engine.flag_home=signaller"},
        {!system.workload.beside.empty(), "background kernel"},
        {names_steps_in_switches(system.workload), "steps that switches carry out"},
    };
    for (const auto& [asked, text] : not_there)
        if (asked) throw InputError(system.file, system.workload.line, none + text, expected);
}

// Transfers at flow have booked what is behind a switch ahead of lines that take turns with theirs by lines, so these hold credits for
// longer. From a tenth of the time on it is said of the link that waited longest.
std::string waiting_notice(const std::vector<LinkResult>& links, Time time)
{
    const LinkResult* longest = nullptr;
    const auto stall = [](const LinkResult& link) { return link.credit_stall_ps.value_or(0); };
    for (const LinkResult& link : links)
        if (longest == nullptr || stall(link) > stall(*longest)) longest = &link;
    if (longest == nullptr || stall(*longest) == 0 || stall(*longest) < time / 10) return {};
    return fmt::format(
        "{} -> {} waited {} for credits, {:.0f} % of the run: transfers of ranks at flow book links ahead of lines, "
        "which by lines take turns with theirs, so the run can be too long by up to about as much "
        "(docs/models/mixed.md, Against lines)",
        longest->from, longest->to, format_time_ps(stall(*longest)),
        100 * static_cast<double>(stall(*longest)) / static_cast<double>(time));
}

class Mixture final : public Surroundings {
public:
    Mixture(const ResolvedSystem& resolved, const RunOptions& options) : resolved_(resolved), options_(options) {}

    const System::Elsewhere& divide(const FabricPlan& plan, std::size_t ranks) override
    {
        if (plan.routing.phases() > 1)
            throw InputError(resolved_.infrastructure, 0, "mixed fidelity has no routes by way of other groups",
                "routing.policy=minimal, or --fidelity line or flow");
        if (ranks > most_ranks_of_schedule)
            throw InputError(resolved_.file, resolved_.workload.line,
                fmt::format("mixed fidelity needs whole schedules, and this run has {} ranks", ranks),
                fmt::format("at most {} ranks, or --fidelity flow", most_ranks_of_schedule));
        part_ = line_part_of(resolved_, plan, options_.lines);
        std::vector<bool> lines = part_.outside;
        lines.flip();
        fabric_.emplace(resolved_, plan.members, lines);
        if (fabric_->paths() == nullptr)
            throw InputError(resolved_.infrastructure, 0, "mixed fidelity on a document without tables of routes",
                "a smaller document, or --fidelity flow");
        core_.emplace(fabric_->ranks(), fabric_->book(), mixed_rules(*fabric_, ranks));
        if (resolved_.workload.kind == Workload::Kind::trace && resolved_.engine().compute == ComputeMode::kernel)
            core_->set_devices(fabric_->devices());
        if (options_.until) core_->set_end(*options_.until);
        paths_.emplace(*fabric_->paths(), fabric_->book(), std::move(lines), plan.members.size());
        elsewhere_.nodes = part_.outside;
        for (const std::vector<Fabric::Port>& ports : plan.fabric.ports())
            inputs_.push_back(static_cast<unsigned>(ports.size()));
        elsewhere_.border = [this](const RunContext& context, EdgeId edge, NodeId outer, NodeId inner) {
            if (!border_)
                border_.emplace(context.event_queue, context.pool, context.progress, *core_, *paths_,
                    resolved_.routing());
            const LinkSpec& link = resolved_.link(edge);
            return border_->end(edge, outer, inner, link.message_header > 0 ? destination_lines(link) : 0,
                inputs_[outer], edge_name(resolved_.graph(), edge));
        };
        return elsewhere_;
    }

    Executor& join(LineExecutor& lines) override
    {
        std::vector<bool> at_lines = part_.ranks;  // outside for the core
        at_lines.flip();
        if (!border_) return executor_.emplace(lines, nullptr, nullptr, part_.ranks);
        core_->set_border(*border_, std::move(at_lines));
        flow_.emplace(*core_, resolved_.engine(), fabric_->endpoints(),
            [this](std::shared_ptr<const Schedule> schedule, const EngineSpec& spec, std::uint64_t bytes,
                std::uint32_t element) { return protocols_.carried_out(std::move(schedule), spec, bytes, element); });
        if (resolved_.workload.kind == Workload::Kind::trace) flow_->remember_buffers();
        return executor_.emplace(lines, &*flow_, &*border_, part_.ranks);
    }

    std::vector<std::string> blocked() const override
    {
        if (!border_) return {};
        std::vector<std::string> out = border_->blocked();
        for (std::string& line : core_->blocked()) out.push_back(std::move(line));
        return out;
    }

    PlaceUse places(std::uint32_t rank) const override
    {
        const bool here = border_ && part_.ranks[rank];
        return here ? core_->places(rank) : PlaceUse{};
    }
    // Whatever cut it short: transfers have booked links ahead.
    void cut_off(Time last) override
    {
        if (!border_) return;
        core_->cut_off(last);
        fabric_->set_end(last);
    }

    Share share() const override
    {
        if (!border_) return {};
        return {true, core_->messages(), border_->lines_in(), border_->lines_out(), fabric_->links(),
            flow_notices(resolved_, *core_, *flow_, fabric_->members().size(), 0)};
    }

    void add_to(RunResult& result, Share share) const override
    {
        result.fidelity = "mixed";
        result.messages = share.messages;
        if (result.stop == StopReason::finished && executor_) result.verified = proved(*executor_);
        if (result.verified == "passed") result.verification = "symbolic";
        result.notices.push_back(fmt::format("line by line: {}; the rest as flow, {} transactions crossed to it and {} "
                                             "from it",
            part_.text, share.lines_in, share.lines_out));
        std::vector<bool> lines = part_.outside;
        lines.flip();
        const std::string unfollowed = unfollowed_notice(resolved_, core_->has_devices(), true, lines);
        if (!unfollowed.empty()) result.notices.push_back("of what is simulated as flow: " + unfollowed);
        for (std::string& notice : share.notices) result.notices.push_back(std::move(notice));
        if (!result.series.empty())
            result.notices.emplace_back("the series has the links that are simulated by transactions, and none of the "
                                        "rest, which the JSON has");
        std::vector<LinkResult>& links = result.link_results;
        links.erase(
            std::remove_if(links.begin(), links.end(), [](const LinkResult& link) { return link.name.empty(); }),
            links.end());
        for (LinkResult& link : share.links) links.push_back(std::move(link));
        if (result.stop != StopReason::finished) return;
        tell_overfull(links, result.counted_ps, result.notices);
        if (std::string notice = waiting_notice(links, result.simulated_ps); !notice.empty())
            result.notices.push_back(std::move(notice));
    }

private:
    const ResolvedSystem& resolved_;
    const RunOptions& options_;
    LinePart part_;
    std::optional<FlowFabric> fabric_;
    std::optional<FlowCore> core_;
    std::optional<BorderPaths> paths_;
    System::Elsewhere elsewhere_;
    std::vector<unsigned> inputs_;  // by node, its ports
    std::optional<LineBorder> border_;
    ProtocolChoice protocols_;
    std::optional<FlowExecutor> flow_;
    std::optional<MixedExecutor> executor_;
};

}  // namespace

RunResult run_mixed(const ResolvedSystem& resolved, const ModelRegistry& registry, const RunOptions& options)
{
    refuse_of_mixed(resolved, options);
    Mixture mixture(resolved, options);
    RunOptions mixed = options;
    mixed.around = &mixture;
    return run_system(resolved, registry, mixed);
}

}  // namespace weft
