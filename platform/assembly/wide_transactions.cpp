#include "platform/assembly/wide_transactions.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/line_size.h"
#include "platform/configuration/parameter_place.h"

namespace weft {

namespace {

[[noreturn]] void refuse(const ResolvedSystem& system, const std::string& what)
{
    throw WideRefused(system.file, 0, fmt::format("engine.grain = {} B with {}", system.engine().grain, what),
        "a grain of 64 B");
}

// Limits of lines in flight, of what moves data in this run.
void check_limits(const ResolvedSystem& system, const std::string& name, NodeId node)
{
    const EngineSpec& engine = system.engine();
    const std::uint64_t lines = engine.grain / line_bytes;
    const auto check = [&](const char* parameter, std::uint64_t limit) {
        if (limit < lines)
            refuse(system, fmt::format("{} = {} of {}, where a transaction takes {}", parameter, limit, name, lines));
    };
    check("gpu.outstanding", system.gpu(node).outstanding);
    // Which steps of a plan have port channels is not known yet.
    const bool by_port = engine.channel == EngineChannel::port ||
        (engine.channel == EngineChannel::any && !system.workload.plan.empty());
    if (engine.mover == Mover::copy_engine || by_port) check("copy.in_flight", system.copy(node).in_flight);
    if (engine.mover == Mover::bulk) check("bulk.in_flight", system.bulk(node).in_flight);
}

void check_node(const ResolvedSystem& system, const FabricPlan& plan, NodeId node)
{
    const std::string& name = plan.fabric.nodes[node].name;
    const bool member = plan.fabric.nodes[node].endpoint >= 0;
    const std::string& model = system.model(node);
    if (!member) {
        if (!plan.used.transit[node] && model != "switch")
            refuse(system, fmt::format("model {} of {}, which has transactions of 64 B", model, name));
        if (system.switch_of(node).message > 0)
            refuse(system, fmt::format("the network card {} (switch.message), which makes messages of lines", name));
        return;
    }
    if (system.role(node) != NodeRole::memory && model != "gpu")
        refuse(system, fmt::format("model {} of {}, which has transactions of 64 B", model, name));
    if (!system.l2(node).ours())
        refuse(system,
            fmt::format("l2.model {} of {}, which has transactions of 64 B", system.slice_model(node), name));
    if (!system.hbm(node).ours())
        refuse(system,
            fmt::format("hbm.model {} of {}, which has transactions of 64 B", system.memory_model(node), name));
    if (system.memory_side(node).present())
        refuse(system, fmt::format("the memory-side cache of {}, which has transactions of 64 B", name));
    if (system.role(node) != NodeRole::memory) check_limits(system, name, node);
}

void check_link(const ResolvedSystem& system, EdgeId edge)
{
    const LinkSpec& link = system.link(edge);
    const std::string name = edge_name(system.graph(), edge);
    if (system.link_model(edge) != "link")
        refuse(system, fmt::format("model {} of {}, which has transactions of 64 B", system.link_model(edge), name));
    if (link.retry != RetryKind::none) refuse(system, fmt::format("link.retry of {}", name));
    if (link.bundle > 1)
        refuse(system, fmt::format("link.bundle = {} of {}, which distributes lines", link.bundle, name));
    if (link.pool_credits > 0) refuse(system, fmt::format("link.pool_credits of {}", name));
    const std::uint64_t lines = system.engine().grain / line_bytes;
    if (link.request_credits < lines || link.response_credits < lines)
        refuse(system,
            fmt::format("{} request credits and {} response credits on {}, where a transaction takes {}",
                link.request_credits, link.response_credits, name, lines));
}

}  // namespace

void require_wide(const ResolvedSystem& system, const FabricPlan& plan)
{
    const std::uint64_t grain = system.engine().grain;
    if ((grain & (grain - 1)) != 0)
        throw at_its_parameter(InputError("", 0, fmt::format("engine.grain = {} B is not a power of 2", grain),
                                   "64 B, 128 B, 256 B or 512 B"),
            system);
    if (grain == line_bytes) return;
    for (NodeId node = 0; node < plan.fabric.nodes.size(); ++node)
        if (plan.used.nodes[node] || plan.fabric.nodes[node].endpoint >= 0) check_node(system, plan, node);
    for (EdgeId edge = 0; edge < plan.fabric.edges.size(); ++edge)
        if (plan.used.edges[edge]) check_link(system, edge);
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
