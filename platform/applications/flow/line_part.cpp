#include "platform/applications/flow/line_part.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "collectives/schedule/stall_lines.h"
#include "platform/configuration/parameters/glob.h"

namespace weft {

namespace {

constexpr std::size_t most_names_told = 8;

[[noreturn]] void refuse(const std::string& what, const std::string& expected)
{
    throw InputError("", 0, "option '--lines': " + what, expected);
}

// The node is called so, or belongs to what is.
bool belongs(const std::string& node, const std::string& name, NumberedGlob& glob)
{
    if (has_glob(name)) {
        for (std::size_t dot = node.find('.');; dot = node.find('.', dot + 1)) {
            if (glob.matches(node.substr(0, dot))) return true;
            if (dot == std::string::npos) return false;
        }
    }
    return node == name ||
        (node.size() > name.size() && node.compare(0, name.size(), name) == 0 && node[name.size()] == '.');
}

// "host.0, host.1, leaf.0": instances that a name can be.
std::string instances_of(const FabricPlan& plan)
{
    std::vector<std::string> names;
    for (std::size_t node = 0; node < plan.fabric.nodes.size(); ++node) {
        if (!plan.used.nodes[node]) continue;
        const std::string& full = plan.fabric.nodes[node].name;
        const std::size_t first = full.find('.');
        const std::size_t second = first == std::string::npos ? first : full.find('.', first + 1);
        const std::string name = full.substr(0, second);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    const bool more = names.size() > most_names_told;
    if (more) names.resize(most_names_told);
    return fmt::format("{}{}", fmt::join(names, ", "), more ? ", ..." : "");
}

// Nodes on some route between two endpoints, both ends included.
std::set<std::uint32_t> nodes_between(const FabricPlan& plan, const std::vector<std::vector<Fabric::Port>>& ports,
    std::uint32_t from, std::uint32_t to)
{
    std::set<std::uint32_t> seen{plan.routing.node_of(from)};
    std::vector<std::uint32_t> open{plan.routing.node_of(from)};
    while (!open.empty()) {
        const std::uint32_t node = open.back();
        open.pop_back();
        if (node == plan.routing.node_of(to)) continue;
        for (const std::uint16_t port : plan.routing.ports_to(node, to))
            if (seen.insert(ports[node][port].peer).second) open.push_back(ports[node][port].peer);
    }
    return seen;
}

// Routes within the rest stay outside. Only those that some node outside sends in for a rank outside are followed.
void check_rest(const FabricPlan& plan, const LinePart& part, const std::vector<std::vector<Fabric::Port>>& ports)
{
    const auto ranks = static_cast<std::uint32_t>(plan.members.size());
    for (std::uint32_t to = 0; to < ranks; ++to) {
        if (!part.ranks[to]) continue;
        bool leads_in = false;
        for (std::uint32_t node = 0; node < plan.fabric.nodes.size() && !leads_in; ++node) {
            if (!plan.used.nodes[node] || !part.outside[node]) continue;
            for (const std::uint16_t port : plan.routing.ports_to(node, to))
                leads_in = leads_in || !part.outside[ports[node][port].peer];
        }
        for (std::uint32_t from = 0; leads_in && from < ranks; ++from) {
            if (from == to || !part.ranks[from]) continue;
            for (const std::uint32_t node : nodes_between(plan, ports, from, to))
                if (!part.outside[node])
                    refuse(fmt::format("{} is among them, but lies on a route from {} to {}, which are not",
                               plan.fabric.nodes[node].name, plan.fabric.nodes[plan.members[from]].name,
                               plan.fabric.nodes[plan.members[to]].name),
                        "a part that others do not pass through");
        }
    }
}

}  // namespace

LinePart line_part_of(const ResolvedSystem& system, const FabricPlan& plan, const std::string& names)
{
    LinePart out;
    out.outside.assign(plan.fabric.nodes.size(), true);
    for (const std::string& name : split_globs(names)) {
        NumberedGlob glob(name);
        bool any = false;
        for (std::size_t node = 0; node < plan.fabric.nodes.size(); ++node) {
            if (!plan.used.nodes[node] || !belongs(plan.fabric.nodes[node].name, name, glob)) continue;
            out.outside[node] = false;
            any = true;
        }
        if (const std::string missing = glob.missing(); any && !missing.empty())
            refuse(fmt::format("nothing of this run is called '{}'", missing),
                "nodes or instances, such as " + instances_of(plan));
        if (any) continue;
        const bool unused = std::any_of(plan.fabric.nodes.begin(), plan.fabric.nodes.end(),
            [&](const FabricNode& node) { return belongs(node.name, name, glob); });
        refuse(unused ? fmt::format("'{}' takes no part in this run", name)
                      : fmt::format("nothing of {} is called '{}'", system.name, name),
            "nodes or instances, such as " + instances_of(plan));
    }
    std::vector<std::uint32_t> at_lines;
    for (std::uint32_t rank = 0; rank < plan.members.size(); ++rank) {
        out.ranks.push_back(out.outside[plan.members[rank]]);
        if (!out.ranks.back()) at_lines.push_back(rank);
    }
    if (at_lines.empty()) refuse("no rank is among them", "instances with accelerators, or --fidelity flow");
    if (at_lines.size() == plan.members.size()) refuse("all ranks are among them", "--fidelity line");
    const std::vector<std::vector<Fabric::Port>> ports = plan.fabric.ports();
    check_rest(plan, out, ports);
    out.text = fmt::format("{} of {} ranks: {}", at_lines.size(), plan.members.size(), ranges_text(at_lines));
    return out;
}

}  // namespace weft
