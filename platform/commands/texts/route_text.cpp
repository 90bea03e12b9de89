#include "platform/commands/texts/route_text.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "base/units.h"
#include "platform/assembly/packet_paths.h"
#include "platform/choice/latencies.h"
#include "platform/commands/texts/route_reasons.h"
#include "tlm_interconnect/link/destination_lines.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

namespace {

constexpr std::uint64_t countless = 1'000'000'000;
constexpr std::size_t most_alternatives = 8;

using Path = std::vector<std::uint32_t>;

class RouteReport {
public:
    RouteReport(const ResolvedSystem& system, const FabricPlan& plan, const RouteQuestion& question)
        : system_(system), plan_(plan), question_(question), from_(question.from), to_(question.to),
          ports_(plan.fabric.ports()), destination_(static_cast<std::uint32_t>(plan.fabric.nodes[to_].endpoint)),
          selection_(system.routing().path_selection), stripes_(stripes_of_packets(system, plan))
    {
        const std::uint64_t lines_in_a_row = system.routing().stripe / line_bytes;
        switch (selection_) {
        case PathSelection::lines:
        case PathSelection::round_robin: path_hash_ = static_cast<std::uint32_t>(question.line / lines_in_a_row); break;
        case PathSelection::pairs: path_hash_ = pair_hash(question.source, question.destination); break;
        case PathSelection::none: break;
        }
        const auto source = static_cast<std::uint32_t>(plan.fabric.nodes[from_].endpoint);
        steps_ = plan.routing.steps(source, destination_, path_hash_, question.source, question.destination, stripes_);
    }

    std::string text();

private:
    const std::string& name(NodeId node) const { return system_.graph().node(node).name; }
    std::uint64_t node_latency(NodeId node) const { return pass_time(system_, node); }
    EdgeId edge_between(NodeId a, NodeId b) const { return *system_.graph().find_edge(a, b); }
    // A node and the phase of the route there.
    using Place = std::pair<std::uint32_t, unsigned>;
    std::vector<Place> next(const Place& place) const;
    void count_paths();
    std::uint64_t shortest_paths() const;
    void list_paths(const Place& place, Path& path, std::vector<Path>& out) const;
    std::string policy_text() const;
    std::string hops_text(const Path& path) const;
    std::string totals_text(const Path& path) const;
    std::string clocks_text(const Path& path) const;
    std::string choice_text(std::size_t hops) const;
    std::string packets_text() const;

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    RouteQuestion question_;
    NodeId from_;
    NodeId to_;
    std::vector<std::vector<Fabric::Port>> ports_;
    std::uint32_t destination_;
    PathSelection selection_;
    std::vector<std::vector<std::uint32_t>> stripes_;
    std::uint32_t path_hash_ = 0;
    std::vector<Routing::Step> steps_;
    std::uint64_t equal_ = 0;  // paths, and the hops of the shortest and the longest
    std::size_t least_ = 0;
    std::size_t most_ = 0;
};

std::vector<RouteReport::Place> RouteReport::next(const Place& place) const
{
    std::vector<Place> out;
    const auto& [node, phase] = place;
    const std::vector<std::uint16_t>& choice = plan_.routing.ports_to(node, destination_, phase);
    for (unsigned i = 0; i < choice.size(); ++i) {
        const unsigned vc_set = plan_.routing.vc_set(node, destination_, i, phase);
        const Place then{ports_[node][choice[i]].peer, plan_.routing.phase_after(node, choice[i], vc_set)};
        if (std::find(out.begin(), out.end(), then) == out.end()) out.push_back(then);
    }
    return out;
}

// Routes along the tables, layer by layer.
void RouteReport::count_paths()
{
    std::map<Place, std::uint64_t> layer{{{from_, 0}, 1}};
    for (std::size_t hops = 0; !layer.empty(); ++hops) {
        std::map<Place, std::uint64_t> following;
        for (const auto& [place, count] : layer) {
            if (place.first == to_) {
                if (equal_ == 0) least_ = hops;
                most_ = hops;
                equal_ = std::min(countless, equal_ + count);
                continue;
            }
            for (const Place& then : next(place)) following[then] = std::min(countless, following[then] + count);
        }
        layer = std::move(following);
    }
}

// Routes with as few hops, whatever their width.
std::uint64_t RouteReport::shortest_paths() const
{
    constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> hops(ports_.size(), far);
    std::vector<std::uint64_t> routes(ports_.size(), 0);
    std::deque<std::uint32_t> queue{from_};
    hops[from_] = 0;
    routes[from_] = 1;
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
                routes[port.peer] = std::min(countless, routes[port.peer] + routes[node]);
        }
    }
    return routes[to_];
}

void RouteReport::list_paths(const Place& place, Path& path, std::vector<Path>& out) const
{
    if (out.size() > most_alternatives) return;
    if (place.first == to_) {
        out.push_back(path);
        return;
    }
    for (const Place& then : next(place)) {
        path.push_back(then.first);
        list_paths(then, path, out);
        path.pop_back();
    }
}

std::string RouteReport::hops_text(const Path& path) const
{
    std::size_t nodes = 4;
    std::size_t links = 4;
    for (std::size_t i = 0; i < path.size(); ++i) {
        nodes = std::max(nodes, name(path[i]).size());
        if (i > 0) links = std::max(links, system_.graph().kind(edge_between(path[i - 1], path[i])).link.size());
    }
    const bool vc_sets = plan_.routing.vc_sets() > 1;
    std::string out = fmt::format("  hop  {:<{}}  {:<{}}  {}{:>12}  {:>12}  {:>12}\n", "node", nodes, "link", links,
        vc_sets ? "VC set  " : "", "bandwidth", "link latency", "node latency");
    for (std::size_t i = 0; i < path.size(); ++i) {
        std::string line = fmt::format("  {:>3}  {:<{}}", i, name(path[i]), nodes);
        if (i > 0) {
            const EdgeId edge = edge_between(path[i - 1], path[i]);
            const LinkSpec& link = system_.link(edge);
            line += fmt::format("  {:<{}}", system_.graph().kind(edge).link, links);
            if (vc_sets) line += fmt::format("  {:>6}", steps_[i - 1].vc_set);
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
    std::uint64_t cards = 0;
    bool in_network = false;
    std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t i = 1; i < path.size(); ++i) {
        const LinkSpec& link = system_.link(edge_between(path[i - 1], path[i]));
        links += link.latency;
        const bool passed = i > 1 || (!plan_.used.transit.empty() && plan_.used.transit[path.front()]);
        if (passed && !in_network && destination_lines(link) > 0 && is_card(system_, path[i - 1]))
            cards += system_.switch_of(path[i - 1]).message_overhead;
        in_network = destination_lines(link) > 0;
        narrowest = std::min(narrowest, link.bandwidth);
        if (i + 1 < path.size()) nodes += node_latency(path[i]);
    }
    // An accelerator that forwards has its own lines pass its router, too.
    std::uint64_t ends = 0;
    for (const NodeId end : {path.front(), path.back()})
        if (!plan_.used.transit.empty() && plan_.used.transit[end]) ends += node_latency(end);
    return fmt::format("total: {} without load (links {}, nodes {}{}{}); narrowest link {}\n",
        format_time_ps(links + nodes + cards + ends), format_time_ps(links),
        nodes == 0 ? "none" : format_time_ps(nodes),
        cards == 0 ? "" : fmt::format(", network card {}", format_time_ps(cards)),
        ends == 0 ? "" : fmt::format(", routers of both ends {}", format_time_ps(ends)), format_rate(narrowest));
}

// Of nodes with a clock the latencies above are means.
std::string RouteReport::clocks_text(const Path& path) const
{
    std::map<std::pair<Time, Time>, std::vector<NodeId>> nodes;  // by range, in the order of the path
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool end = i == 0 || i + 1 == path.size();
        if (end && (plan_.used.transit.empty() || !plan_.used.transit[path[i]])) continue;
        const PassTimes times = pass_times(system_, path[i]);
        if (times.least < times.most) nodes[{times.least, times.most}].push_back(path[i]);
    }
    std::string out;
    for (const auto& [range, list] : nodes)
        out += fmt::format("clock: {}{} {} from {} to {}, by when in its clock a packet comes; the mean is counted\n",
            name(list.front()), list.size() > 1 ? fmt::format(" and {} more", list.size() - 1) : "",
            list.size() > 1 ? "take" : "takes", format_time_ps(range.first), format_time_ps(range.second));
    return out;
}

std::string counted(std::uint64_t count, const std::string& what)
{
    return fmt::format("{}{} {}{}", count == countless ? "more than " : "", count, what, count == 1 ? "" : "s");
}

std::string RouteReport::policy_text() const
{
    std::string out;
    switch (system_.routing().policy) {
    case RoutePolicy::minimal: break;
    case RoutePolicy::up_down: out = "up_down: down if links that lead down reach the destination, else up"; break;
    case RoutePolicy::dimension_order:
        out = "dimension_order: first dimension first, in the shorter direction";
        if (plan_.routing.vc_sets() > 1) out += "; VC set 1 up to the edge that closes a ring";
        break;
    case RoutePolicy::dragonfly_minimal:
        out = "dragonfly_minimal: one link between groups at most; VC set 1 in the destination's group";
        break;
    case RoutePolicy::dragonfly_valiant:
        out = "dragonfly_valiant: first to a group that pair, path hash and seed select (VC set 0), then minimal (VC "
              "sets 1, 2)";
        break;
    }
    const std::string hops = least_ == most_ ? std::to_string(most_) : fmt::format("{} to {}", least_, most_);
    return "policy: " + out + "\nchoice: " + counted(equal_, "path") + " of " + hops + " hops by the policy\n";
}

// Where a card makes packets on the way.
std::string RouteReport::packets_text() const
{
    for (const Routing::Step& step : steps_)
        if (stripes_[step.node][step.port] > 1)
            return fmt::format(", behind {} packet by packet of {} lines", name(step.node),
                path_lines_of_network(system_, plan_));
    return "";
}

std::string RouteReport::choice_text(std::size_t hops) const
{
    const std::uint64_t shortest = shortest_paths();
    const bool minimal = system_.routing().policy == RoutePolicy::minimal;
    std::string out = minimal
        ? "choice: " + counted(shortest, "path") + " with the fewest hops (" + std::to_string(hops) + ")"
        : policy_text();
    if (minimal && equal_ < shortest)
        out +=
            ", of which " + counted(equal_, "path") + (equal_ == 1 ? " has" : " have") + " the widest narrowest link\n";
    else if (minimal)
        out += equal_ == 1 ? ": no other path is possible\n" : ", all equally wide\n";
    if (equal_ == 1) return out;
    switch (selection_) {
    case PathSelection::lines:
        return out + "selection: line by line over the equal paths" + packets_text() +
            " (routing.path_selection=lines)\n";
    case PathSelection::pairs:
        return out + "selection: each pair of endpoints uses one path (routing.path_selection=pairs)\n";
    case PathSelection::none:
        return out + "selection: always the first of the equal paths (routing.path_selection=none)\n";
    case PathSelection::round_robin: break;
    }
    return out + "selection: each packet of a pair takes the next of the equal paths" + packets_text() +
        " (routing.path_selection=round_robin)\n";
}

std::string RouteReport::text()
{
    count_paths();
    Path first{from_};
    for (const Routing::Step& step : steps_) first.push_back(ports_[step.node][step.port].peer);
    std::string out = fmt::format("{} to {}: {}, {}\n\n", name(from_), name(to_), counted(first.size() - 1, "hop"),
        counted(equal_, equal_ == 1 || least_ < most_ ? "path" : "equal path"));
    out += hops_text(first) + "\n" + totals_text(first) + clocks_text(first) + choice_text(first.size() - 1);
    out += fmt::format("\nline {}{}:\n", question_.line,
        path_hash_ == question_.line ? "" : fmt::format(", path hash {}", path_hash_));
    out += reasons_text(system_, plan_, to_, steps_);
    Path start{from_};
    std::vector<Path> paths;
    list_paths({from_, 0}, start, paths);
    if (paths.size() > 1) out += least_ < most_ ? "\npaths:\n" : "\nequal paths:\n";
    for (std::size_t i = 0; paths.size() > 1 && i < std::min(paths.size(), most_alternatives); ++i) {
        std::string line = "  ";
        for (std::size_t node = 1; node + 1 < paths[i].size(); ++node)
            line += (node == 1 ? "through " : ", ") + name(paths[i][node]);
        out += line + "\n";
    }
    if (equal_ > most_alternatives) out += fmt::format("  and {} more\n", equal_ - most_alternatives);
    return out;
}

}  // namespace

std::string route_text(const ResolvedSystem& system, const FabricPlan& plan, const RouteQuestion& question)
{
    return RouteReport(system, plan, question).text();
}

}  // namespace weft
