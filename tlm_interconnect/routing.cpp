#include "tlm_interconnect/routing.h"

#include <algorithm>
#include <deque>
#include <limits>
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

Routing::Routing(const Fabric& fabric)
    : fabric_(fabric), ports_(fabric.ports()), node_of_(fabric.endpoints, 0), next_(fabric.nodes.size())
{
    for (std::uint32_t n = 0; n < fabric_.nodes.size(); ++n) {
        next_[n].resize(fabric_.endpoints);
        if (fabric_.nodes[n].endpoint >= 0) node_of_[static_cast<std::uint32_t>(fabric_.nodes[n].endpoint)] = n;
    }
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d) route_to(d);
}

void Routing::route_to(std::uint32_t destination)
{
    constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t target = node_of_[destination];
    std::vector<std::uint32_t> hops(fabric_.nodes.size(), far);
    std::vector<std::uint64_t> width(fabric_.nodes.size(), 0);
    std::vector<std::uint32_t> order;
    std::deque<std::uint32_t> queue{target};
    hops[target] = 0;
    width[target] = std::numeric_limits<std::uint64_t>::max();
    while (!queue.empty()) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        order.push_back(node);
        if (node != target && !fabric_.nodes[node].forwards) continue;
        for (const Fabric::Port& port : ports_[node]) {
            if (hops[port.peer] != far) continue;
            hops[port.peer] = hops[node] + 1;
            queue.push_back(port.peer);
        }
    }
    // In order of distance every next hop is settled before the nodes that use it.
    for (const std::uint32_t node : order) {
        if (node == target) continue;
        std::vector<std::uint16_t>& choice = next_[node][destination];
        for (std::uint32_t p = 0; p < ports_[node].size(); ++p) {
            const Fabric::Port& port = ports_[node][p];
            if (hops[port.peer] + 1 != hops[node]) continue;
            if (port.peer != target && !fabric_.nodes[port.peer].forwards) continue;
            const std::uint64_t through = std::min(width[port.peer], fabric_.edges[port.edge].bandwidth);
            if (through > width[node]) {
                width[node] = through;
                choice.clear();
            }
            if (through == width[node]) choice.push_back(static_cast<std::uint16_t>(p));
        }
    }
}

bool Routing::reachable(std::uint32_t from, std::uint32_t to) const
{
    return from == to || !next_[node_of_[from]][to].empty();
}

std::vector<std::uint32_t> Routing::path(std::uint32_t from, std::uint32_t to, std::uint32_t line) const
{
    std::vector<std::uint32_t> out{node_of_[from]};
    while (out.back() != node_of_[to]) {
        const std::vector<std::uint16_t>& choice = next_[out.back()][to];
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
            for (const std::uint16_t p : next_[node][d]) {
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
    // Channel 2e runs from edge e's a to its b, channel 2e + 1 back.
    const auto channel = [&](std::uint32_t from, std::uint32_t edge) {
        return 2 * edge + (fabric_.edges[edge].a == from ? 0 : 1);
    };
    const std::size_t channels = 2 * fabric_.edges.size();
    std::vector<std::set<std::uint32_t>> waits_for(channels);
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d) {
        const std::uint32_t target = node_of_[d];
        const auto next = [&](std::uint32_t node) {
            std::vector<std::uint32_t> peers;
            for (const std::uint16_t p : next_[node][d]) {
                const Fabric::Port& port = ports_[node][p];
                peers.push_back(port.peer);
                if (port.peer == target) continue;
                for (const std::uint16_t q : next_[port.peer][d])
                    waits_for[channel(node, port.edge)].insert(channel(port.peer, ports_[port.peer][q].edge));
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
                    const FabricEdge& edge = fabric_.edges[entry->first / 2];
                    const bool forward = entry->first % 2 == 0;
                    cycle.push_back(fabric_.nodes[forward ? edge.a : edge.b].name + " -> " +
                                    fabric_.nodes[forward ? edge.b : edge.a].name);
                }
                return cycle;
            }
        }
    }
    return {};
}

}  // namespace weft
