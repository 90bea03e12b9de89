#include "platform/assembly/wide_transactions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/configuration/parameter_place.h"

namespace weft {

namespace {

// Why a grain is refused: the first part of the system that has no transactions as wide.
class Refusal {
public:
    Refusal(const ResolvedSystem& system, const FabricPlan& plan, std::uint64_t grain)
        : system_(system), lines_(grain / line_bytes)
    {
        for (NodeId node = 0; node < plan.fabric.nodes.size() && what_.empty(); ++node)
            if (plan.used.nodes[node] || plan.fabric.nodes[node].endpoint >= 0) look_at_node(plan, node);
        for (EdgeId edge = 0; edge < plan.fabric.edges.size() && what_.empty(); ++edge)
            if (plan.used.edges[edge]) look_at_link(edge);
    }

    const std::string& what() const { return what_; }  // empty: nothing refuses it

private:
    // The first reason stays.
    void refuse(const std::string& what)
    {
        if (what_.empty()) what_ = what;
    }
    void look_at_limits(const std::string& name, NodeId node);
    void look_at_node(const FabricPlan& plan, NodeId node);
    void look_at_link(EdgeId edge);

    const ResolvedSystem& system_;
    const std::uint64_t lines_;
    std::string what_;
};

// Limits of lines in flight, of what moves data in this run.
void Refusal::look_at_limits(const std::string& name, NodeId node)
{
    for (const FlightLimit& limit : flight_limits(system_, node))
        if (limit.lines < lines_)
            refuse(
                fmt::format("{} = {} of {}, where a transaction takes {}", limit.parameter, limit.lines, name, lines_));
}

void Refusal::look_at_node(const FabricPlan& plan, NodeId node)
{
    const std::string& name = plan.fabric.nodes[node].name;
    const bool member = plan.fabric.nodes[node].endpoint >= 0;
    const std::string& model = system_.model(node);
    if (!member) {
        if (!plan.used.transit[node] && model != "switch")
            refuse(fmt::format("model {} of {}, which has transactions of 64 B", model, name));
        if (system_.switch_of(node).message > 0)
            refuse(fmt::format("the network card {} (switch.message), which makes messages of lines", name));
        return;
    }
    if (system_.role(node) != NodeRole::memory && model != "gpu")
        refuse(fmt::format("model {} of {}, which has transactions of 64 B", model, name));
    if (!system_.l2(node).ours())
        refuse(fmt::format("l2.model {} of {}, which has transactions of 64 B", system_.slice_model(node), name));
    if (!system_.hbm(node).ours())
        refuse(fmt::format("hbm.model {} of {}, which has transactions of 64 B", system_.memory_model(node), name));
    if (system_.memory_side(node).present())
        refuse(fmt::format("the memory-side cache of {}, which has transactions of 64 B", name));
    if (system_.role(node) != NodeRole::memory) look_at_limits(name, node);
}

void Refusal::look_at_link(EdgeId edge)
{
    const LinkSpec& link = system_.link(edge);
    const std::string name = edge_name(system_.graph(), edge);
    if (system_.link_model(edge) != "link")
        refuse(fmt::format("model {} of {}, which has transactions of 64 B", system_.link_model(edge), name));
    if (link.retry != RetryKind::none) refuse(fmt::format("link.retry of {}", name));
    if (link.bundle > 1) refuse(fmt::format("link.bundle = {} of {}, which distributes lines", link.bundle, name));
    if (link.pool_credits > 0) refuse(fmt::format("link.pool_credits of {}", name));
    if (link.request_credits < lines_ || link.response_credits < lines_)
        refuse(fmt::format("{} request credits and {} response credits on {}, where a transaction takes {}",
            link.request_credits, link.response_credits, name, lines_));
}

// Whether wavefronts may move data in this run. Engines move all data of a collective by an algorithm that only copies.
bool units_move(const ResolvedSystem& system)
{
    const EngineSpec& engine = system.engine();
    const Workload& workload = system.workload;
    if (engine.mover == Mover::units || engine.channel == EngineChannel::port || engine.protocol != Protocol::simple)
        return true;
    CollectiveOp op = CollectiveOp::custom;
    if (workload.kind != Workload::Kind::collective || !workload.plan.empty() || !workload.beside.empty() ||
        !collective_from_name(workload.collective, op) || has_reduction(op))
        return true;
    const AlgorithmInfo* const info =
        algorithm_info(op, workload.algorithm.empty() ? algorithm_names(op).front() : workload.algorithm);
    return info == nullptr || info->carrier == Carrier::in_switch;
}

}  // namespace

WideRefused wide_refused(const ResolvedSystem& system, const std::string& what, const std::string& expected)
{
    const Diagnostic placed = at_its_parameter(InputError("", 0, what, expected), system).diagnostics().front();
    return {placed.file.empty() ? system.file : placed.file, placed.line, placed.what, placed.expected};
}

std::vector<FlightLimit> flight_limits(const ResolvedSystem& system, NodeId node)
{
    const EngineSpec& engine = system.engine();
    std::vector<FlightLimit> out;
    if (units_move(system)) out.push_back({"gpu.outstanding", system.gpu(node).outstanding});
    // Which steps of a plan have port channels is not known yet.
    const bool by_port = engine.channel == EngineChannel::port ||
        (engine.channel == EngineChannel::any && !system.workload.plan.empty());
    if (engine.mover == Mover::copy_engine || by_port) out.push_back({"copy.in_flight", system.copy(node).in_flight});
    if (engine.mover == Mover::bulk) out.push_back({"bulk.in_flight", system.bulk(node).in_flight});
    return out;
}

void require_wide(const ResolvedSystem& system, const FabricPlan& plan)
{
    const std::uint64_t grain = system.engine().grain;
    if (grain == line_bytes) return;
    const Refusal refusal(system, plan, grain);
    if (refusal.what().empty()) return;
    std::uint64_t finer = grain / 2;
    while (finer > line_bytes && !Refusal(system, plan, finer).what().empty()) finer /= 2;
    throw wide_refused(system, fmt::format("engine.grain = {} B with {}", grain, refusal.what()),
        fmt::format("a grain of {} B{}", finer, finer > line_bytes ? " or less" : ""));
}

std::vector<std::string> wide_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    const std::uint64_t grain = system.engine().grain;
    if (grain == line_bytes) return {};
    std::string text = fmt::format("engine.grain = {} B: times are approximate", grain);
    if (system.routing().stripe < grain)
        text += fmt::format("; {} B in a row take one path (routing.stripe = {} B)", grain, system.routing().stripe);
    std::uint64_t line = grain;
    for (const NodeId node : plan.members) line = std::min(line, system.l2(node).line);
    if (line < grain) text += fmt::format("; {} B in a row are in one slice of an L2 (l2.line = {} B)", grain, line);
    const bool contents = std::any_of(plan.members.begin(), plan.members.end(),
        [&system](NodeId node) { return system.l2(node).holds_contents(); });
    if (contents)
        text += "; times are not those of l2.contents = flat, whose fills are one access of DRAM for several lines";
    return {text};
}

}  // namespace weft
