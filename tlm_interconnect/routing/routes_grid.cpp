#include <algorithm>
#include <set>
#include <utility>

#include "tlm_interconnect/routing/route_policy.h"
#include "tlm_interconnect/routing/routing.h"

namespace weft {

namespace {

constexpr unsigned most_dimensions = 4;
constexpr unsigned smallest_ring_with_cycle = 4;  // in a smaller one nobody goes two links the same way

// The forwarding nodes as points of a mesh or torus, numbered with the first coordinate fastest.
class Grid {
public:
    Grid(const Fabric& fabric, std::vector<std::uint32_t> sizes)
        : fabric_(fabric), sizes_(std::move(sizes)), rings_(sizes_.size(), false), number_(fabric.nodes.size(), 0)
    {
        for (std::uint32_t n = 0; n < fabric.nodes.size(); ++n) {
            if (!fabric.nodes[n].forwards) continue;
            number_[n] = static_cast<std::uint32_t>(routers_.size());
            routers_.push_back(n);
        }
        problem_ = check();
    }

    const std::string& problem() const { return problem_; }
    std::size_t dimensions() const { return sizes_.size(); }
    std::uint32_t size(std::size_t d) const { return sizes_[d]; }
    bool is_ring(std::size_t d) const { return rings_[d]; }
    std::uint32_t coordinate(std::uint32_t node, std::size_t d) const
    {
        std::uint32_t number = number_[node];
        for (std::size_t i = 0; i < d; ++i) number /= sizes_[i];
        return number % sizes_[d];
    }
    // The only dimension in which two nodes differ; dimensions(): none or several.
    std::size_t difference(std::uint32_t a, std::uint32_t b) const
    {
        std::size_t found = dimensions();
        for (std::size_t d = 0; d < dimensions(); ++d) {
            if (coordinate(a, d) == coordinate(b, d)) continue;
            if (found != dimensions()) return dimensions();
            found = d;
        }
        return found;
    }

private:
    std::string check()
    {
        std::uint64_t points = 1;
        for (const std::uint32_t size : sizes_) points *= size;
        if (points != routers_.size())
            return std::to_string(points) + " points, but " + std::to_string(routers_.size()) + " forwarding nodes";
        std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> steps(dimensions());
        std::vector<std::set<std::pair<std::uint32_t, std::uint32_t>>> wraps(dimensions());
        for (const FabricEdge& edge : fabric_.edges) {
            if (!fabric_.nodes[edge.a].forwards || !fabric_.nodes[edge.b].forwards) continue;
            const std::size_t d = difference(edge.a, edge.b);
            const auto off = [&] {
                return fabric_.nodes[edge.a].name + " and " + fabric_.nodes[edge.b].name +
                    " are joined but are not neighbours";
            };
            if (d == dimensions()) return off();
            const std::pair<std::uint32_t, std::uint32_t> ends =
                std::minmax({coordinate(edge.a, d), coordinate(edge.b, d)});
            const std::pair<std::uint32_t, std::uint32_t> pair = std::minmax(number_[edge.a], number_[edge.b]);
            if (ends.second - ends.first == 1)
                steps[d].insert(pair);
            else if (ends.first == 0 && ends.second == sizes_[d] - 1)
                wraps[d].insert(pair);
            else
                return off();
        }
        for (std::size_t d = 0; d < dimensions(); ++d) {
            const std::uint64_t rows = points / sizes_[d];
            const std::string name = "dimension " + std::to_string(d);
            if (steps[d].size() != rows * (sizes_[d] - 1)) return "links between neighbours are missing in " + name;
            if (!wraps[d].empty() && wraps[d].size() != rows)
                return "some rows of " + name + " are rings, some are not";
            rings_[d] = !wraps[d].empty();
        }
        return {};
    }

    const Fabric& fabric_;
    std::vector<std::uint32_t> sizes_;
    std::vector<bool> rings_;
    std::vector<std::uint32_t> number_;   // by node
    std::vector<std::uint32_t> routers_;  // nodes by number
    std::string problem_;
};

// Whether going from `at` to `to` by increasing (else decreasing) coordinates is a route of dimension order.
bool shortest(const Grid& grid, std::size_t d, std::uint32_t at, std::uint32_t to, bool increasing)
{
    if (!grid.is_ring(d)) return increasing == (to > at);
    const std::uint32_t size = grid.size(d);
    const std::uint32_t up = (to + size - at) % size;
    return increasing ? 2 * up <= size : 2 * up >= size;
}

void route(const Fabric& fabric, const Grid& grid, const std::vector<Fabric::Port>& ports, std::uint32_t node,
    std::uint32_t router, std::uint32_t destination, RouteChoices& out)
{
    std::size_t d = 0;
    while (grid.coordinate(node, d) == grid.coordinate(router, d)) ++d;
    const std::uint32_t size = grid.size(d);
    const std::uint32_t at = grid.coordinate(node, d);
    const std::uint32_t to = grid.coordinate(router, d);
    for (std::size_t p = 0; p < ports.size(); ++p) {
        if (!fabric.nodes[ports[p].peer].forwards || grid.difference(node, ports[p].peer) != d) continue;
        const std::uint32_t next = grid.coordinate(ports[p].peer, d);
        const bool increasing = next == (at + 1) % size && (size > 2 || next > at);
        if (!shortest(grid, d, at, to, increasing)) continue;
        const bool crosses = increasing ? to < at : to > at;
        const bool high = grid.is_ring(d) && size >= smallest_ring_with_cycle && crosses;
        out.add(node, destination, p, high ? 1 : 0);
    }
}

bool factors(const Fabric& fabric, std::uint32_t points, unsigned dimensions, std::vector<std::uint32_t>& sizes)
{
    if (dimensions == 1) {
        sizes.push_back(points);
        if (points >= 2 && Grid(fabric, sizes).problem().empty()) return true;
        sizes.pop_back();
        return false;
    }
    for (std::uint32_t size = 2; size <= points / 2; ++size) {
        if (points % size != 0) continue;
        sizes.push_back(size);
        if (factors(fabric, points / size, dimensions - 1, sizes)) return true;
        sizes.pop_back();
    }
    return false;
}

}  // namespace

std::vector<std::uint32_t> grid_sizes(const Fabric& fabric)
{
    std::uint32_t points = 0;
    for (const FabricNode& node : fabric.nodes) points += node.forwards ? 1 : 0;
    for (unsigned dimensions = 1; dimensions <= most_dimensions; ++dimensions) {
        std::vector<std::uint32_t> sizes;
        if (factors(fabric, points, dimensions, sizes)) return sizes;
    }
    return {};
}

std::vector<std::uint32_t> routers_of(const Fabric& fabric, const std::vector<std::uint32_t>& node_of)
{
    const std::vector<std::vector<Fabric::Port>> ports = fabric.ports();
    std::vector<std::uint32_t> out;
    for (const std::uint32_t node : node_of) {
        std::set<std::uint32_t> routers;
        if (fabric.nodes[node].forwards) routers.insert(node);
        for (const Fabric::Port& port : ports[node])
            if (!fabric.nodes[node].forwards && fabric.nodes[port.peer].forwards) routers.insert(port.peer);
        if (routers.size() != 1)
            throw RouteMismatch(fabric.nodes[node].name + " is attached to " + std::to_string(routers.size()) +
                " forwarding nodes instead of one");
        out.push_back(*routers.begin());
    }
    return out;
}

void dimension_order_routes(const Fabric& fabric, const std::vector<std::uint32_t>& node_of,
    const std::vector<std::uint32_t>& sizes, RouteChoices& out)
{
    const std::vector<std::uint32_t> router_of = routers_of(fabric, node_of);
    const std::vector<std::uint32_t> used = sizes.empty() ? grid_sizes(fabric) : sizes;
    if (used.empty())
        throw RouteMismatch("the forwarding nodes, in the order of the document, form no mesh, ring or torus");
    const Grid grid(fabric, used);
    std::string text;
    for (const std::uint32_t size : used) text += (text.empty() ? "" : "x") + std::to_string(size);
    if (!grid.problem().empty()) throw RouteMismatch("not a mesh, ring or torus of " + text + ": " + grid.problem());

    out.vc_sets.assign(fabric.nodes.size(), std::vector<std::vector<std::uint8_t>>(fabric.endpoints));
    const std::vector<std::vector<Fabric::Port>> ports = fabric.ports();
    for (std::uint32_t node = 0; node < fabric.nodes.size(); ++node) {
        const int own = fabric.nodes[node].endpoint;
        if (!fabric.nodes[node].forwards && own < 0) continue;
        for (std::uint32_t d = 0; d < fabric.endpoints; ++d) {
            if (node == node_of[d]) continue;
            if (fabric.nodes[node].forwards && node != router_of[d]) {
                route(fabric, grid, ports[node], node, router_of[d], d, out);
                continue;
            }
            const std::uint32_t next =
                fabric.nodes[node].forwards ? node_of[d] : router_of[static_cast<std::uint32_t>(own)];
            for (std::size_t p = 0; p < ports[node].size(); ++p)
                if (ports[node][p].peer == next) out.add(node, d, p, 0);
        }
    }
}

}  // namespace weft
