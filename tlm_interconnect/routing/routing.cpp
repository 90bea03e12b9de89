#include "tlm_interconnect/routing/routing.h"

#include <algorithm>
#include <deque>
#include <set>

#include "tlm_interconnect/protocol/line.h"

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
    : fabric_(fabric), ports_(fabric.ports()), node_of_(fabric.endpoints, 0), seed_(rules.seed)
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
    case RoutePolicy::dragonfly_minimal:
    case RoutePolicy::dragonfly_valiant:
        dragonfly_routes(fabric_, node_of_, rules.groups, rules.policy == RoutePolicy::dragonfly_valiant, choices_);
        break;
    }
    for (const auto& node : choices_.vc_sets)
        for (const auto& choice : node)
            for (const std::uint8_t vc_set : choice) vc_sets_ = std::max(vc_sets_, vc_set + 1U);
    if (choices_.phases == 1) return;
    port_at_.resize(2 * fabric_.edges.size());
    for (std::uint32_t n = 0; n < ports_.size(); ++n)
        for (std::size_t p = 0; p < ports_[n].size(); ++p) {
            const std::uint32_t edge = ports_[n][p].edge;
            port_at_[2 * edge + (fabric_.edges[edge].a == n ? 0 : 1)] = static_cast<std::uint16_t>(p);
        }
}

RouteTable Routing::table(std::uint32_t node, const std::vector<int>& number_of, int own) const
{
    const auto number = [&](std::size_t port) { return number_of.empty() ? static_cast<int>(port) : number_of[port]; };
    const unsigned phases = fabric_.nodes[node].forwards ? choices_.phases : 1;
    std::vector<std::vector<std::uint16_t>> entries(std::size_t{phases} * fabric_.endpoints);
    for (unsigned phase = 0; phase < phases; ++phase)
        for (std::uint32_t d = 0; d < fabric_.endpoints; ++d) {
            std::vector<std::uint16_t>& to = entries[row(node, d, phase)];
            const std::vector<std::uint16_t>& ports = ports_to(node, d, phase);
            for (unsigned i = 0; i < ports.size(); ++i)
                if (number(ports[i]) >= 0)
                    to.push_back(RouteTable::entry(static_cast<unsigned>(number(ports[i])), vc_set(node, d, i, phase)));
            if (own >= 0 && fabric_.nodes[node].endpoint == static_cast<int>(d)) to = {static_cast<std::uint16_t>(own)};
        }
    RouteTable out(entries);
    if (!fabric_.nodes[node].forwards) return out;
    out.set_vc_sets(vc_sets_);
    if (phases == 1) return out;
    std::vector<std::uint8_t> phase_of((ports_[node].size() + 1) * max_vc_sets, 0);
    for (std::size_t p = 0; p < ports_[node].size(); ++p)
        for (std::size_t vc_set = 0; vc_set < max_vc_sets && number(p) >= 0; ++vc_set)
            phase_of[static_cast<std::size_t>(number(p)) * max_vc_sets + vc_set] =
                choices_.phase_of[node][p * max_vc_sets + vc_set];
    out.set_phases(phases, std::move(phase_of), seed_);
    return out;
}

bool Routing::reachable(std::uint32_t from, std::uint32_t to) const
{
    return from == to || !ports_to(node_of_[from], to).empty();
}

unsigned Routing::phase_after(std::uint32_t node, unsigned port, unsigned vc_set) const
{
    const Fabric::Port& exit = ports_[node][port];
    if (choices_.phases == 1 || choices_.phase_of[exit.peer].empty()) return 0;
    const unsigned there = port_at_[2 * exit.edge + (fabric_.edges[exit.edge].a == node ? 1 : 0)];
    return choices_.phase_of[exit.peer][there * max_vc_sets + vc_set];
}

std::vector<Routing::Step> Routing::steps(std::uint32_t from, std::uint32_t to, std::uint32_t line,
    std::uint32_t source, std::uint32_t destination, const std::vector<std::vector<std::uint32_t>>& stripes) const
{
    std::vector<Step> out;
    unsigned phase = 0;
    bool in_packet = stripes.empty();
    for (std::uint32_t node = node_of_[from]; node != node_of_[to];) {
        const std::vector<std::uint16_t>& choice = ports_to(node, to, phase);
        if (choice.empty()) return {};
        if (!in_packet && stripes[node][choice.front()] > 1) {
            line /= stripes[node][choice.front()];
            in_packet = true;
        }
        if (choices_.phases > 1 && phase == 0 && fabric_.nodes[node].forwards)
            line = scattered_hash(line, source, destination, seed_);
        const auto count = static_cast<unsigned>(choice.size());
        const unsigned pick = line % count;
        line /= count;
        out.push_back({node, phase, count, pick, choice[pick], vc_set(node, to, pick, phase)});
        phase = phase_after(node, out.back().port, out.back().vc_set);
        node = ports_[node][out.back().port].peer;
    }
    return out;
}

std::vector<std::uint32_t> Routing::path(std::uint32_t from, std::uint32_t to, std::uint32_t line) const
{
    std::vector<std::uint32_t> out{node_of_[from]};
    for (const Step& step : steps(from, to, line)) out.push_back(ports_[step.node][step.port].peer);
    if (out.back() != node_of_[to]) return {};
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

// Visits every (node, phase) at which lines to one destination choose, in order of discovery.
template <class Visit>
void Routing::walk(std::uint32_t destination, const Visit& visit) const
{
    struct Place {
        std::uint32_t node;
        unsigned phase;
    };
    std::vector<bool> seen(fabric_.nodes.size() * choices_.phases, false);
    std::deque<Place> queue;
    const auto find = [&](std::uint32_t node, unsigned phase) {
        if (node == node_of_[destination] || seen[node * choices_.phases + phase]) return;
        seen[node * choices_.phases + phase] = true;
        queue.push_back({node, phase});
    };
    for (std::uint32_t s = 0; s < node_of_.size(); ++s)
        if (s != destination) find(node_of_[s], 0);
    while (!queue.empty()) {
        const Place at = queue.front();
        queue.pop_front();
        visit(at.node, at.phase);
        const std::vector<std::uint16_t>& choice = ports_to(at.node, destination, at.phase);
        for (unsigned i = 0; i < choice.size(); ++i)
            find(ports_[at.node][choice[i]].peer,
                phase_after(at.node, choice[i], vc_set(at.node, destination, i, at.phase)));
    }
}

std::vector<bool> Routing::used_edges() const
{
    std::vector<bool> used(fabric_.edges.size(), false);
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d)
        walk(d, [&](std::uint32_t node, unsigned phase) {
            for (const std::uint16_t p : ports_to(node, d, phase)) used[ports_[node][p].edge] = true;
        });
    return used;
}

std::vector<std::string> Routing::dependency_cycle(unsigned vc_sets) const
{
    vc_sets = std::min(vc_sets, vc_sets_);
    // Direction 2e runs from edge e's a to its b, 2e + 1 back; each has `vc_sets` channels.
    const auto channel = [&](std::uint32_t from, std::uint32_t d, unsigned i, unsigned phase) {
        const std::uint32_t edge = ports_[from][ports_to(from, d, phase)[i]].edge;
        return (2 * edge + (fabric_.edges[edge].a == from ? 0 : 1)) * vc_sets +
            std::min(vc_set(from, d, i, phase), vc_sets - 1);
    };
    const std::size_t channels = 2 * fabric_.edges.size() * vc_sets;
    std::vector<std::set<std::uint32_t>> waits_for(channels);
    for (std::uint32_t d = 0; d < fabric_.endpoints; ++d)
        walk(d, [&](std::uint32_t node, unsigned phase) {
            const std::vector<std::uint16_t>& choice = ports_to(node, d, phase);
            for (unsigned i = 0; i < choice.size(); ++i) {
                const std::uint32_t peer = ports_[node][choice[i]].peer;
                if (peer == node_of_[d]) continue;
                const unsigned then = phase_after(node, choice[i], vc_set(node, d, i, phase));
                std::set<std::uint32_t>& awaited = waits_for[channel(node, d, i, phase)];
                for (unsigned k = 0; k < ports_to(peer, d, then).size(); ++k) awaited.insert(channel(peer, d, k, then));
            }
        });

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
                    const std::uint32_t direction = entry->first / vc_sets;
                    const FabricEdge& edge = fabric_.edges[direction / 2];
                    const bool forward = direction % 2 == 0;
                    cycle.push_back(fabric_.nodes[forward ? edge.a : edge.b].name + " -> " +
                        fabric_.nodes[forward ? edge.b : edge.a].name);
                    if (vc_sets > 1) cycle.back() += " VC set " + std::to_string(entry->first % vc_sets);
                }
                return cycle;
            }
        }
    }
    return {};
}

}  // namespace weft
