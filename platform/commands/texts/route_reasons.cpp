#include "platform/commands/texts/route_reasons.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "tlm_interconnect/routing/route_distances.h"

namespace weft {

namespace {

constexpr std::size_t most_names = 4;

std::string listed(const std::vector<std::string>& names)
{
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) out += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most_names) out += fmt::format(" and {} more", names.size() - most_names);
    return out;
}

class Reasons {
public:
    Reasons(const ResolvedSystem& system, const FabricPlan& plan, NodeId to);

    std::string at(const Routing::Step& step, const Routing::Step* before) const;

private:
    bool shorter_possible(std::uint32_t node, std::uint32_t peer) const
    {
        return distances_.hops[peer] + 1 > distances_.hops[node];
    }
    std::string why_not(const Routing::Step& step, const Routing::Step* before, unsigned port) const;
    std::string by_policy(const Routing::Step& step, const Routing::Step* before, unsigned port) const;
    std::string up_down(const Routing::Step& step, const Routing::Step* before, const Fabric::Port& exit) const;

    const FabricPlan& plan_;
    RoutePolicy policy_;
    std::uint32_t target_;
    std::uint32_t destination_;
    std::vector<std::vector<Fabric::Port>> ports_;
    RouteDistances distances_;          // to the target, whatever the policy
    std::vector<std::uint32_t> ranks_;  // up_down
};

Reasons::Reasons(const ResolvedSystem& system, const FabricPlan& plan, NodeId to)
    : plan_(plan), policy_(system.routing().policy), target_(to),
      destination_(static_cast<std::uint32_t>(plan.fabric.nodes[to].endpoint)), ports_(plan.fabric.ports()),
      distances_(distances_to(plan.fabric, ports_, to))
{
    if (policy_ != RoutePolicy::up_down) return;
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t e = 0; e < plan.fabric.endpoints; ++e) nodes.push_back(plan.routing.node_of(e));
    ranks_ = up_down_ranks(plan.fabric, nodes);
}

std::string Reasons::why_not(const Routing::Step& step, const Routing::Step* before, unsigned port) const
{
    const std::uint32_t peer = ports_[step.node][port].peer;
    if (before != nullptr && peer == before->node) return "the packet comes from there";
    if (!plan_.fabric.nodes[peer].forwards && peer != target_) return "does not forward";
    if (distances_.hops[peer] == RouteDistances::far) return "no path to the destination";
    return by_policy(step, before, port);
}

std::string Reasons::by_policy(const Routing::Step& step, const Routing::Step* before, unsigned port) const
{
    const Fabric::Port& exit = ports_[step.node][port];
    const bool valiant = policy_ == RoutePolicy::dragonfly_valiant && plan_.fabric.nodes[step.node].forwards;
    if (valiant && step.phase == 0 && step.vc_set == 0) return "no link to another group";
    if (valiant && step.phase == 1) return "a second link within the group could close a cycle";
    if (policy_ == RoutePolicy::up_down) return up_down(step, before, exit);
    if (shorter_possible(step.node, exit.peer))
        return fmt::format("not minimal: {} hops remain, not {}", distances_.hops[exit.peer] + 1,
            distances_.hops[step.node]);
    switch (policy_) {
    case RoutePolicy::dimension_order: return "an earlier dimension comes first; else a cycle could close";
    case RoutePolicy::dragonfly_minimal:
    case RoutePolicy::dragonfly_valiant: return "through another group: could close a cycle";
    default: break;
    }
    const std::uint64_t width = std::min(distances_.width[exit.peer], plan_.fabric.edges[exit.edge].bandwidth);
    return fmt::format("narrowest link has {}, not {}", format_rate(width), format_rate(distances_.width[step.node]));
}

std::string Reasons::up_down(const Routing::Step& step, const Routing::Step* before, const Fabric::Port& exit) const
{
    const bool up = ranks_[exit.peer] < ranks_[step.node];
    const bool taken_up = ranks_[ports_[step.node][step.port].peer] < ranks_[step.node];
    if (up && before != nullptr && ranks_[before->node] < ranks_[step.node]) return "up after down could close a cycle";
    if (up && !taken_up) return "up, but the destination can be reached downwards";
    if (!up && taken_up) return "down, but the destination is not below: up again could close a cycle";
    const Fabric::Port& taken = ports_[step.node][step.port];
    const auto width = [&](const Fabric::Port& way) {
        return std::min(distances_.width[way.peer], plan_.fabric.edges[way.edge].bandwidth);
    };
    const bool as_good = distances_.hops[exit.peer] <= distances_.hops[taken.peer] && width(exit) >= width(taken);
    return as_good ? "its path goes down and up again: could close a cycle" : "longer or narrower";
}

std::string Reasons::at(const Routing::Step& step, const Routing::Step* before) const
{
    const auto peer_name = [&](unsigned port) { return plan_.fabric.nodes[ports_[step.node][port].peer].name; };
    const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(step.node, destination_, step.phase);
    std::string out = "  at " + plan_.fabric.nodes[step.node].name + ": ";
    out += step.count == 1 ? "only " : fmt::format("path hash selects index {} of {}: ", step.pick, step.count);
    out += peer_name(step.port) + "\n";
    std::vector<std::string> equal;
    for (const std::uint16_t port : choice)
        if (port != step.port && std::find(equal.begin(), equal.end(), peer_name(port)) == equal.end())
            equal.push_back(peer_name(port));
    if (!equal.empty()) out += "    equal      " + listed(equal) + "\n";
    // By reason, in the order of the ports.
    std::vector<std::pair<std::string, std::vector<std::string>>> discarded;
    for (unsigned port = 0; port < ports_[step.node].size(); ++port) {
        if (std::find(choice.begin(), choice.end(), port) != choice.end()) continue;
        const std::string reason = why_not(step, before, port);
        auto entry = std::find_if(discarded.begin(), discarded.end(), [&](const auto& e) { return e.first == reason; });
        if (entry == discarded.end()) entry = discarded.insert(discarded.end(), {reason, {}});
        entry->second.push_back(peer_name(port));
    }
    for (const auto& [reason, names] : discarded) out += "    discarded  " + listed(names) + " (" + reason + ")\n";
    return out;
}

}  // namespace

std::string reasons_text(const ResolvedSystem& system, const FabricPlan& plan, NodeId to,
    const std::vector<Routing::Step>& steps)
{
    const Reasons reasons(system, plan, to);
    std::string out;
    for (std::size_t i = 0; i < steps.size(); ++i) out += reasons.at(steps[i], i == 0 ? nullptr : &steps[i - 1]);
    return out;
}

}  // namespace weft
