#include "tlm_interconnect/routing.h"

#include <algorithm>
#include <deque>
#include <set>

namespace weft {

std::vector<std::vector<Fabric::Port>> Fabric::ports() const
{
    std::vector<std::vector<Port>> out(nodes.size());
    for (std::uint32_t e = 0; e < edges.size(); ++e) {
        out[edges[e].a].push_back({e, edges[e].b});
        out[edges[e].b].push_back({e, edges[e].a});
    }
    return out;
}

Routing::Routing(const Fabric& fabric, const RouteRules& rules)
    : fabric_(fabric), ports_(fabric.ports()), node_of_(fabric.endpoints, 0)
{
    choices_.ports.resize(fabric_.nodes.size());
    for (std::uint32_t n = 0; n < fabric_.nodes.size(); ++n) {
        choices_.ports[n].resize(fabric_.endpoints);
        if (fabric_.nodes[n].endpoint >= 0) node_of_[static_cast<std::uint32_t>(fabric_.nodes[n].endpoint)] = n;
    }
    switch (rules.policy) {
    case RoutePolicy::minimal: minimal_routes(fabric_, node_of_, choices_); break;
    case RoutePolicy::up_down: up_down_routes(fabric_, node_of_, choices_); break;
    case RoutePolicy::dimension_order: dimension_order_routes(fabric_, node_of_, rules.sizes, choices_); break;
    case RoutePolicy::dragonfly_minimal: dragonfly_routes(fabric_, node_of_, rules.groups, choices_); break;
    }
    for (const auto& node : choices_.lanes)
        for (const auto& choice : node)
            for (const std::uint8_t lane : choice) lanes_ = std::max(lanes_, lane + 1U);
}

RouteTable Routing::table(std::uint32_t node) const
{
    std::vector<std::vector<std::uint16_t>> entries(fabric_.endpoints);
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d) {
        const std::vector<std::uint16_t>& ports = ports_to(node, d);
        for (unsigned i = 0; i < ports.size(); ++i) entries[d].push_back(RouteTable::entry(ports[i], lane(node, d, i)));
    }
    return RouteTable(entries);
}

bool Routing::reachable(std::uint32_t from, std::uint32_t to) const
{
    return from == to || !ports_to(node_of_[from], to).empty();
}

std::vector<std::uint32_t> Routing::path(std::uint32_t from, std::uint32_t to, std::uint32_t line) const
{
    std::vector<std::uint32_t> out{node_of_[from]};
    while (out.back() != node_of_[to]) {
        const std::vector<std::uint16_t>& choice = ports_to(out.back(), to);
        if (choice.empty()) return {};
        const std::uint16_t port = choice[line % choice.size()];
        line /= static_cast<std::uint32_t>(choice.size());
        out.push_back(ports_[out.back()][port].peer);
    }
    return out;
}

std::vector<bool> Routing::used_nodes() const
{
    std::vector<bool> used(fabric_.nodes.size(), false);
    for (const std::uint32_t node : node_of_) used[node] = true;
    const std::vector<bool> edges = used_edges();
    for (std::uint32_t e = 0; e < edges.size(); ++e)
        if (edges[e]) used[fabric_.edges[e].a] = used[fabric_.edges[e].b] = true;
    return used;
}

namespace {

// Visits every (node, port) that lines to one destination use, nodes in order of discovery.
template <class Next, class Visit>
void walk(std::uint32_t destination, const std::vector<std::uint32_t>& sources, std::size_t nodes, const Next& next,
    const Visit& visit)
{
    std::vector<bool> seen(nodes, false);
    std::deque<std::uint32_t> queue;
    for (std::uint32_t s = 0; s < sources.size(); ++s) {
        if (s == destination || seen[sources[s]]) continue;
        seen[sources[s]] = true;
        queue.push_back(sources[s]);
    }
    while (!queue.empty()) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        for (const std::uint32_t peer : next(node)) {
            visit(node, peer);
            if (peer != sources[destination] && !seen[peer]) {
                seen[peer] = true;
                queue.push_back(peer);
            }
        }
    }
}

}  // namespace

std::vector<bool> Routing::used_edges() const
{
    std::vector<bool> used(fabric_.edges.size(), false);
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d) {
        const auto next = [&](std::uint32_t node) {
            std::vector<std::uint32_t> peers;
            for (const std::uint16_t p : ports_to(node, d)) {
                used[ports_[node][p].edge] = true;
                peers.push_back(ports_[node][p].peer);
            }
            return peers;
        };
        walk(d, node_of_, fabric_.nodes.size(), next, [](std::uint32_t, std::uint32_t) {});
    }
    return used;
}

std::vector<std::string> Routing::dependency_cycle() const
{
    // Direction 2e runs from edge e's a to its b, 2e + 1 back; each has `lanes_` channels.
    const auto channel = [&](std::uint32_t from, std::uint32_t d, unsigned i) {
        const std::uint32_t edge = ports_[from][ports_to(from, d)[i]].edge;
        return (2 * edge + (fabric_.edges[edge].a == from ? 0 : 1)) * lanes_ + lane(from, d, i);
    };
    const std::size_t channels = 2 * fabric_.edges.size() * lanes_;
    std::vector<std::set<std::uint32_t>> waits_for(channels);
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d) {
        const std::uint32_t target = node_of_[d];
        const auto next = [&](std::uint32_t node) {
            std::vector<std::uint32_t> peers;
            const std::vector<std::uint16_t>& choice = ports_to(node, d);
            for (unsigned i = 0; i < choice.size(); ++i) {
                const std::uint32_t peer = ports_[node][choice[i]].peer;
                peers.push_back(peer);
                if (peer == target) continue;
                std::set<std::uint32_t>& awaited = waits_for[channel(node, d, i)];
                for (unsigned k = 0; k < ports_to(peer, d).size(); ++k) awaited.insert(channel(peer, d, k));
            }
            return peers;
        };
        walk(d, node_of_, fabric_.nodes.size(), next, [](std::uint32_t, std::uint32_t) {});
    }

    enum : std::uint8_t { fresh, open, closed };
    std::vector<std::uint8_t> state(channels, fresh);
    std::vector<std::pair<std::uint32_t, std::set<std::uint32_t>::const_iterator>> stack;
    for (std::uint32_t root = 0; root < channels; ++root) {
        if (state[root] != fresh) continue;
        state[root] = open;
        stack.emplace_back(root, waits_for[root].begin());
        while (!stack.empty()) {
            auto& [node, iterator] = stack.back();
            if (iterator == waits_for[node].end()) {
                state[node] = closed;
                stack.pop_back();
                continue;
            }
            const std::uint32_t other = *iterator++;
            if (state[other] == fresh) {
                state[other] = open;
                stack.emplace_back(other, waits_for[other].begin());
            } else if (state[other] == open) {
                std::vector<std::string> cycle;
                auto entry = std::find_if(stack.begin(), stack.end(), [&](const auto& e) { return e.first == other; });
                for (; entry != stack.end(); ++entry) {
                    const std::uint32_t direction = entry->first / lanes_;
                    const FabricEdge& edge = fabric_.edges[direction / 2];
                    const bool forward = direction % 2 == 0;
                    cycle.push_back(fabric_.nodes[forward ? edge.a : edge.b].name + " -> " +
                                    fabric_.nodes[forward ? edge.b : edge.a].name);
                    if (lanes_ > 1) cycle.back() += " lane " + std::to_string(entry->first % lanes_);
                }
                return cycle;
            }
        }
    }
    return {};
}

}  // namespace weft
