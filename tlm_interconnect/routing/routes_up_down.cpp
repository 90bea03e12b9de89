#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "tlm_interconnect/routing/route_policy.h"
#include "tlm_interconnect/routing/routing.h"

namespace weft {

namespace {

constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();
using Ports = std::vector<std::vector<Fabric::Port>>;

// Distances from the nearest of `from`; what does not forward ends a path.
std::vector<std::uint32_t> distances(const Fabric& fabric, const Ports& ports, const std::vector<std::uint32_t>& from)
{
    std::vector<std::uint32_t> out(fabric.nodes.size(), far);
    std::deque<std::uint32_t> queue;
    for (const std::uint32_t node : from) {
        out[node] = 0;
        queue.push_back(node);
    }
    while (!queue.empty()) {
        const std::uint32_t node = queue.front();
        queue.pop_front();
        if (out[node] > 0 && !fabric.nodes[node].forwards) continue;
        for (const Fabric::Port& port : ports[node]) {
            if (out[port.peer] != far) continue;
            out[port.peer] = out[node] + 1;
            queue.push_back(port.peer);
        }
    }
    return out;
}

// Positions in the order of (level, number); what does not forward is below everything.
std::vector<std::uint32_t> ranked(const Fabric& fabric, const std::vector<std::int64_t>& level)
{
    std::vector<std::uint32_t> order(level.size());
    for (std::uint32_t n = 0; n < order.size(); ++n) order[n] = n;
    const auto key = [&](std::uint32_t n) { return std::make_pair(!fabric.nodes[n].forwards, level[n]); };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    std::vector<std::uint32_t> rank(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
    return rank;
}

class UpDown {
public:
    UpDown(const Fabric& fabric, const Ports& ports, std::vector<std::uint32_t> rank)
        : fabric_(fabric), ports_(ports), rank_(std::move(rank)), order_(rank_.size())
    {
        for (std::uint32_t n = 0; n < rank_.size(); ++n) order_[rank_[n]] = n;
    }

    // Hops to `target` and the width of the route from every node; hops of `far`: none.
    void measure(std::uint32_t target)
    {
        hops_.assign(rank_.size(), far);
        width_.assign(rank_.size(), 0);
        down_.assign(rank_.size(), false);
        hops_[target] = 0;
        width_[target] = std::numeric_limits<std::uint64_t>::max();
        down_[target] = true;
        // A route down ends in ever larger ranks, so those are settled first; a route up begins with smaller ones.
        for (std::uint32_t i = rank_[target]; i-- > 0;) settle(order_[i], target, true);
        for (const std::uint32_t node : order_)
            if (!down_[node]) settle(node, target, false);
    }
    bool reaches(std::uint32_t node) const { return hops_[node] != far; }

    void choose(std::uint32_t destination, std::uint32_t target, RouteChoices& out) const
    {
        for (std::uint32_t node = 0; node < rank_.size(); ++node) {
            if (node == target || hops_[node] == far) continue;
            for (std::size_t p = 0; p < ports_[node].size(); ++p)
                if (useful(node, ports_[node][p], target, down_[node]) &&
                    hops_[ports_[node][p].peer] + 1 == hops_[node] && through(ports_[node][p]) == width_[node])
                    out.ports[node][destination].push_back(static_cast<std::uint16_t>(p));
        }
    }

private:
    bool useful(std::uint32_t node, const Fabric::Port& port, std::uint32_t target, bool downward) const
    {
        if (port.peer != target && !fabric_.nodes[port.peer].forwards) return false;
        if ((rank_[port.peer] > rank_[node]) != downward) return false;
        return hops_[port.peer] != far && (!downward || down_[port.peer]);
    }
    std::uint64_t through(const Fabric::Port& port) const
    {
        return std::min(width_[port.peer], fabric_.edges[port.edge].bandwidth);
    }
    void settle(std::uint32_t node, std::uint32_t target, bool downward)
    {
        for (const Fabric::Port& port : ports_[node]) {
            if (!useful(node, port, target, downward)) continue;
            const std::uint32_t hops = hops_[port.peer] + 1;
            if (hops < hops_[node]) {
                hops_[node] = hops;
                width_[node] = 0;
            }
            if (hops == hops_[node]) width_[node] = std::max(width_[node], through(port));
        }
        down_[node] = down_[node] || (downward && hops_[node] != far);
    }

    const Fabric& fabric_;
    const Ports& ports_;
    std::vector<std::uint32_t> rank_;
    std::vector<std::uint32_t> order_;  // nodes by rank
    std::vector<std::uint32_t> hops_;
    std::vector<std::uint64_t> width_;
    std::vector<bool> down_;
};

}  // namespace

std::vector<std::uint32_t> up_down_ranks(const Fabric& fabric, const std::vector<std::uint32_t>& node_of)
{
    const Ports ports = fabric.ports();
    const std::vector<std::uint32_t> height = distances(fabric, ports, node_of);
    std::vector<std::int64_t> level(height.size());
    for (std::size_t n = 0; n < level.size(); ++n) level[n] = height[n] == far ? 0 : -std::int64_t{height[n]};
    std::vector<std::uint32_t> rank = ranked(fabric, level);
    UpDown trial(fabric, ports, rank);
    bool joined = true;
    for (const std::uint32_t target : node_of) {
        trial.measure(target);
        for (const std::uint32_t source : node_of) joined = joined && trial.reaches(source);
        if (!joined) break;
    }
    if (joined) return rank;

    std::uint32_t root = far;
    for (std::uint32_t n = 0; n < level.size(); ++n)
        if (fabric.nodes[n].forwards && height[n] != far && (root == far || height[n] > height[root])) root = n;
    if (root == far) return rank;
    const std::vector<std::uint32_t> depth = distances(fabric, ports, {root});
    for (std::size_t n = 0; n < level.size(); ++n) level[n] = depth[n];
    return ranked(fabric, level);
}

void up_down_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of, RouteChoices& out)
{
    const Ports ports = fabric.ports();
    UpDown routes(fabric, ports, up_down_ranks(fabric, node_of));
    for (std::uint32_t d = 0; d < fabric.endpoints; ++d) {
        routes.measure(node_of[d]);
        routes.choose(d, node_of[d], out);
    }
}

}  // namespace weft
