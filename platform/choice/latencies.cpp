#include "platform/choice/latencies.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/line_size.h"
#include "platform/assembly/clocked_times.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

Time wire_time(const LinkSpec& link, LineOp op, std::uint32_t size, LineClass cls, bool by_card)
{
    // Of a bundle one link has all of the line.
    return lone_bytes(link, op, size, cls, by_card) * ps_per_s / std::max<Time>(1, link.bandwidth / link.bundle);
}

PassTimes pass_times(const std::string& model, const SwitchSpec& spec)
{
    if (is_clocked_switch(model)) {
        const Time clocks = std::max<Time>(1, (spec.latency + spec.clock - 1) / spec.clock);
        const Time least = clocks * spec.clock + spec.traversal;
        return {least, least + spec.clock / 2, least + spec.clock - 1};
    }
    if (model != "crossbar") return {spec.latency, spec.latency, spec.latency};
    // A channel is won a clock before the match at the earliest.
    const Time ready = spec.vc_stage == VcStage::separate ? std::max(spec.latency, spec.clock) : spec.latency;
    const Time least = ready + spec.traversal;
    return {least, least + spec.clock / 2, least + spec.clock - 1};
}

PassTimes pass_times(const ResolvedSystem& system, NodeId node)
{
    return pass_times(system.model(node), system.switch_of(node));
}

Time pass_time(const ResolvedSystem& system, NodeId node) { return pass_times(system, node).mean; }

namespace {

using Place = std::pair<std::uint32_t, unsigned>;  // node and phase of a route

// A place that so many links lead to: the time of the slowest way there, and the place before it.
struct Reached {
    Time time = 0;
    Place before{};
};

// From a node over the link to the next one.
Time step_time(const ResolvedSystem& system, std::uint32_t node, bool passes, std::uint32_t edge)
{
    const LinkSpec& link = system.link(edge);
    return (passes ? pass_time(system, node) : 0) + wire_time(link, LineOp::write, line_bytes, LineClass::request) +
        link.latency;
}

}  // namespace

std::vector<std::uint32_t> slowest_path(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from,
    std::uint32_t to)
{
    const Routing& routing = plan.routing;
    const RoutingSpec& spec = system.routing();
    if (spec.policy != RoutePolicy::dragonfly_valiant && spec.path_selection == PathSelection::pairs)
        return routing.path(from, to, pair_hash(from, to));
    const std::vector<std::uint32_t> first = routing.path(from, to, 0);
    if (spec.policy != RoutePolicy::dragonfly_valiant && spec.path_selection == PathSelection::none) return first;
    const std::vector<Routing::Step> steps = routing.steps(from, to, 0);
    if (std::all_of(steps.begin(), steps.end(), [](const Routing::Step& step) { return step.count <= 1; }))
        return first;
    const std::uint32_t begin = routing.node_of(from);
    const std::uint32_t end = routing.node_of(to);
    const auto passes = [&](std::uint32_t node, std::size_t links) { return links > 0 || plan.used.transit[node]; };
    Time slowest = 0;  // of the first path, as long as none takes more
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
        slowest += step_time(system, first[i], passes(first[i], i), *system.graph().find_edge(first[i], first[i + 1]));
    std::vector<std::map<Place, Reached>> levels{{{{begin, 0U}, {}}}};
    std::optional<Place> last;
    std::size_t length = 0;
    while (!levels.back().empty()) {
        std::map<Place, Reached> next;
        for (const auto& [place, reached] : levels.back()) {
            const auto [node, phase] = place;
            if (node == end) continue;
            const std::vector<std::uint16_t>& choice = routing.ports_to(node, to, phase);
            for (unsigned i = 0; i < choice.size(); ++i) {
                const Fabric::Port& exit = routing.ports_of(node)[choice[i]];
                const Time time = reached.time + step_time(system, node, passes(node, levels.size() - 1), exit.edge);
                const Place there{exit.peer, routing.phase_after(node, choice[i], routing.vc_set(node, to, i, phase))};
                Reached& known = next[there];
                if (time > known.time) known = {time, place};
                if (exit.peer != end || time <= slowest) continue;
                slowest = time;
                last = there;
                length = levels.size();
            }
        }
        levels.push_back(std::move(next));
    }
    if (!last) return first;
    std::vector<std::uint32_t> nodes{last->first};
    for (Place at = *last; length > 0; --length) {
        at = levels[length].at(at).before;
        nodes.push_back(at.first);
    }
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
}

Time path_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to, LineOp op,
    std::uint32_t size, LineClass cls)
{
    return way_time(system, plan, slowest_path(system, plan, from, to), op, size, cls);
}

Time way_time(const ResolvedSystem& system, const FabricPlan& plan, const std::vector<std::uint32_t>& nodes, LineOp op,
    std::uint32_t size, LineClass cls)
{
    return path_time(system, nodes, {plan.used.transit[nodes.front()], plan.used.transit[nodes.back()]}, op, size, cls);
}

Time back_time(const ResolvedSystem& system, const FabricPlan& plan, std::uint32_t from, std::uint32_t to, LineOp op,
    std::uint32_t size)
{
    std::vector<std::uint32_t> nodes = slowest_path(system, plan, from, to);
    std::reverse(nodes.begin(), nodes.end());
    return way_time(system, plan, nodes, op, size, LineClass::response);
}

Time path_time(const ResolvedSystem& system, const std::vector<std::uint32_t>& nodes, std::pair<bool, bool> transit,
    LineOp op, std::uint32_t size, LineClass cls)
{
    PathPart whole;
    whole.nodes = nodes;
    whole.first_passes = transit.first;
    whole.last_passes = transit.second;
    return path_time(system, whole, op, size, cls);
}

Time path_time(const ResolvedSystem& system, PathPart& part, LineOp op, std::uint32_t size, LineClass cls)
{
    Time time = 0;
    const std::vector<std::uint32_t>& nodes = part.nodes;
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
        const LinkSpec& link = system.link(*system.graph().find_edge(nodes[i], nodes[i + 1]));
        const bool enters = !part.in_network && destination_lines(link) > 0;
        part.in_network = destination_lines(link) > 0;
        if (i > 0 || part.first_passes) {
            time += pass_time(system, nodes[i]);
            // A line that leaves its node by a card is a message; so is, on its way back, the answer of one.
            if (enters && is_card(system, nodes[i])) {
                part.message = true;
                if (cls == LineClass::request) time += system.switch_of(nodes[i]).message_overhead;
            }
        }
        if (part.to_wire && i + 2 == nodes.size()) return time;
        time += wire_time(link, op, size, cls, part.message && part.in_network) + link.latency;
    }
    if (part.last_passes) time += pass_time(system, nodes.back());
    return time;
}

Time home_time(const ResolvedSystem& system, NodeId node)
{
    return system.l2(node).separate() ? system.memory_side(node).latency : system.l2(node).latency;
}

Time flag_time(const ResolvedSystem& system, NodeId node)
{
    const L2Spec& l2 = system.l2(node);
    const Time crossing = l2.separate() ? 2 * system.memory_side(node).hop : l2.mirrored() ? l2.far_latency : 0;
    return home_time(system, node) + crossing;
}

}  // namespace weft
