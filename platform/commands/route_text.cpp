#include "platform/commands/route_text.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

constexpr std::uint64_t countless = 1'000'000'000;
constexpr std::size_t most_alternatives = 8;

using Path = std::vector<std::uint32_t>;

class RouteReport {
public:
    RouteReport(const ResolvedSystem& system, const FabricPlan& plan, NodeId from, NodeId to)
        : system_(system), plan_(plan), from_(from), to_(to), ports_(plan.fabric.ports())
    {
        destination_ = static_cast<std::uint32_t>(plan.fabric.nodes[to].endpoint);
    }

    std::string text() const;

private:
    const std::string& name(NodeId node) const { return system_.graph().node(node).name; }
    std::uint64_t node_latency(NodeId node) const { return system_.switch_of(node).latency; }
    EdgeId edge_between(NodeId a, NodeId b) const { return *system_.graph().find_edge(a, b); }
    std::vector<std::uint32_t> next(std::uint32_t node) const;
    unsigned lane_towards(std::uint32_t node, std::uint32_t peer) const;
    std::string policy_text(std::size_t hops) const;
    std::uint64_t equal_paths() const;
    std::uint64_t shortest_paths() const;
    void list_paths(Path& path, std::vector<Path>& out) const;
    std::string hops_text(const Path& path) const;
    std::string totals_text(const Path& path) const;
    std::string choice_text(std::size_t hops) const;

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    NodeId from_;
    NodeId to_;
    std::uint32_t destination_ = 0;
    std::vector<std::vector<Fabric::Port>> ports_;
};

std::vector<std::uint32_t> RouteReport::next(std::uint32_t node) const
{
    std::vector<std::uint32_t> peers;
    for (const std::uint16_t port : plan_.routing.ports_to(node, destination_))
        peers.push_back(ports_[node][port].peer);
    return peers;
}

unsigned RouteReport::lane_towards(std::uint32_t node, std::uint32_t peer) const
{
    const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, destination_);
    for (unsigned i = 0; i < choice.size(); ++i)
        if (ports_[node][choice[i]].peer == peer) return plan_.routing.lane(node, destination_, i);
    return 0;
}

// Ways along the tables, layer by layer.
std::uint64_t RouteReport::equal_paths() const
{
    std::map<std::uint32_t, std::uint64_t> layer{{from_, 1}};
    while (layer.count(to_) == 0) {
        std::map<std::uint32_t, std::uint64_t> following;
        for (const auto& [node, count] : layer)
            for (const std::uint32_t peer : next(node))
                following[peer] = std::min(countless, following[peer] + count);
        if (following.empty()) return 0;
        layer = std::move(following);
    }
    return layer[to_];
}

// Ways with as few hops, whatever their width.
std::uint64_t RouteReport::shortest_paths() const
{
    constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> hops(ports_.size(), far);
    std::vector<std::uint64_t> ways(ports_.size(), 0);
    std::deque<std::uint32_t> queue{from_};
    hops[from_] = 0;
    ways[from_] = 1;
    while (!queue.empty()) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        if (node == to_ || (node != from_ && !plan_.fabric.nodes[node].forwards)) continue;
        for (const Fabric::Port& port : ports_[node]) {
            if (hops[port.peer] == far) {
                hops[port.peer] = hops[node] + 1;
                queue.push_back(port.peer);
            }
            if (hops[port.peer] == hops[node] + 1)
                ways[port.peer] = std::min(countless, ways[port.peer] + ways[node]);
        }
    }
    return ways[to_];
}

void RouteReport::list_paths(Path& path, std::vector<Path>& out) const
{
    if (out.size() > most_alternatives) return;
    if (path.back() == to_) {
        out.push_back(path);
        return;
    }
    for (const std::uint32_t peer : next(path.back())) {
        path.push_back(peer);
        list_paths(path, out);
        path.pop_back();
    }
}

std::string RouteReport::hops_text(const Path& path) const
{
    std::size_t nodes = 4;
    std::size_t links = 4;
    for (std::size_t i = 0; i < path.size(); ++i) {
        nodes = std::max(nodes, name(path[i]).size());
        if (i > 0)
            links = std::max(links, system_.graph().kind(edge_between(path[i - 1], path[i])).link.size());
    }
    const bool lanes = plan_.routing.lanes() > 1;
    std::string out = fmt::format("  hop  {:<{}}  {:<{}}  {}{:>12}  {:>12}  {:>12}\n", "node", nodes, "link",
        links, lanes ? "lane  " : "", "bandwidth", "link latency", "node latency");
    for (std::size_t i = 0; i < path.size(); ++i) {
        std::string line = fmt::format("  {:>3}  {:<{}}", i, name(path[i]), nodes);
        if (i > 0) {
            const EdgeId edge = edge_between(path[i - 1], path[i]);
            const LinkSpec& link = system_.link(edge);
            line += fmt::format("  {:<{}}", system_.graph().kind(edge).link, links);
            if (lanes) line += fmt::format("  {:>4}", lane_towards(path[i - 1], path[i]));
            line += fmt::format("  {:>12}  {:>12}", format_rate(link.bandwidth), format_time_ps(link.latency));
            if (i + 1 < path.size()) line += fmt::format("  {:>12}", format_time_ps(node_latency(path[i])));
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::string RouteReport::totals_text(const Path& path) const
{
    std::uint64_t links = 0;
    std::uint64_t nodes = 0;
    std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 1; i < path.size(); ++i) {
        const LinkSpec& link = system_.link(edge_between(path[i - 1], path[i]));
        links += link.latency;
        narrowest = std::min(narrowest, link.bandwidth);
        if (i + 1 < path.size()) nodes += node_latency(path[i]);
    }
    return fmt::format("total: {} without load (links {}, nodes {}); narrowest link {}\n",
        format_time_ps(links + nodes), format_time_ps(links), nodes == 0 ? "none" : format_time_ps(nodes),
        format_rate(narrowest));
}

std::string counted(std::uint64_t count, const std::string& what)
{
    return fmt::format("{}{} {}{}", count == countless ? "more than " : "", count, what,
        count == 1 ? "" : "s");
}

std::string RouteReport::policy_text(std::size_t hops) const
{
    std::string out;
    switch (static_cast<RoutePolicy>(system_.routing().policy)) {
    case RoutePolicy::minimal: break;
    case RoutePolicy::up_down: out = "up_down: down where links that lead down reach the destination, else up"; break;
    case RoutePolicy::dimension_order:
        out = "dimension_order: first dimension first, the shorter way round";
        if (plan_.routing.lanes() > 1) out += "; lane 1 up to the edge that closes a ring";
        break;
    case RoutePolicy::dragonfly_minimal:
        out = "dragonfly_minimal: one link between groups at most; lane 1 in the destination's group";
        break;
    }
    const std::string count = counted(equal_paths(), "path");
    return "policy: " + out + "\nchoice: " + count + " of " + std::to_string(hops) + " hops by the policy\n";
}

std::string RouteReport::choice_text(std::size_t hops) const
{
    const std::uint64_t equal = equal_paths();
    const std::uint64_t shortest = shortest_paths();
    const bool minimal = static_cast<RoutePolicy>(system_.routing().policy) == RoutePolicy::minimal;
    std::string out = minimal ? "choice: " + counted(shortest, "path") + " with the fewest hops (" +
                                    std::to_string(hops) + ")"
                              : policy_text(hops);
    if (minimal && equal < shortest)
        out += ", of which " + counted(equal, "path") + (equal == 1 ? " has" : " have") +
            " the widest narrowest link\n";
    else if (minimal)
        out += equal == 1 ? ": no other comes into question\n" : ", all equally wide\n";
    if (equal > 1) {
        const auto spread = static_cast<RouteSpread>(system_.routing().spread);
        out += spread == RouteSpread::lines
            ? "spread: line by line over the equal paths (routing.spread=lines)\n"
            : spread == RouteSpread::pairs
            ? "spread: each pair of endpoints keeps to one path (routing.spread=pairs)\n"
            : "spread: always the first of the equal paths (routing.spread=none)\n";
    }
    return out;
}

std::string RouteReport::text() const
{
    Path start{from_};
    std::vector<Path> paths;
    list_paths(start, paths);
    const Path& first = paths.front();
    const std::uint64_t equal = equal_paths();
    std::string out = fmt::format("{} to {}: {}, {}\n\n", name(from_), name(to_),
        counted(first.size() - 1, "hop"), counted(equal, equal == 1 ? "path" : "equal path"));
    out += hops_text(first) + "\n" + totals_text(first) + choice_text(first.size() - 1);
    if (paths.size() > 1) out += "\nequal paths:\n";
    for (std::size_t i = 0; paths.size() > 1 && i < std::min(paths.size(), most_alternatives); ++i) {
        std::string line = "  ";
        for (std::size_t node = 1; node + 1 < paths[i].size(); ++node)
            line += (node == 1 ? "through " : ", ") + name(paths[i][node]);
        out += line + "\n";
    }
    if (equal > most_alternatives) out += fmt::format("  and {} more\n", equal - most_alternatives);
    return out;
}

}  // namespace

std::string route_text(const ResolvedSystem& system, const FabricPlan& plan, NodeId from, NodeId to)
{
    return RouteReport(system, plan, from, to).text();
}

}  // namespace weft
