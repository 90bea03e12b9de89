#include "collectives/synthesis/dimension_rates.h"

#include <cmath>
#include <algorithm>

#include "collectives/schedule/algorithms/phases.h"
#include "collectives/synthesis/permute.h"

namespace weft {

namespace {

constexpr double ps_per_s = 1e12;

// Time by which every link is occupied when every rank sends a byte along `axis`.
std::vector<double> occupied(const std::vector<CostLink>& links, const PathOfPair& path_of, std::uint32_t ranks,
    const algorithms::Grid& grid, const algorithms::Axis& shape, std::uint32_t axis)
{
    std::vector<double> ps;
    const double part = 1.0 / (shape.size - 1);
    for (std::uint32_t from = 0; from < ranks; ++from)
        for (std::uint32_t offset = 1; offset < shape.size; ++offset) {
            const std::uint32_t hop = offset - shapes::pattern_parent(shape.pattern, offset);
            const std::uint32_t to = grid.at(from, axis, grid.coordinate(from, axis) + hop);
            const CostPath path = path_of(from, to);
            ps.resize(links.size(), 0);
            for (const PathStage& stage : path.stages)
                for (const LinkShare& part_of_link : stage.links) {
                    const CostLink& link = links[part_of_link.link];
                    ps[part_of_link.link] += part * part_of_link.share * link.ps_per_byte;
                    if (link.reverse >= 0)
                        ps[static_cast<std::size_t>(link.reverse)] += part * part_of_link.share * link.back_ps_per_byte;
                }
        }
    return ps;
}

}  // namespace

std::vector<Dimension> with_rates(const CostGraph& graph, std::vector<Dimension> dimensions)
{
    return with_rates(
        graph.links, [&graph](std::uint32_t from, std::uint32_t to) { return graph.path(from, to); }, graph.size(),
        std::move(dimensions));
}

std::vector<Dimension> with_rates(const std::vector<CostLink>& links, const PathOfPair& path_of, std::uint32_t ranks,
    std::vector<Dimension> dimensions)
{
    algorithms::Stripe stripe{rank_order(ranks), {}};
    for (const Dimension& dimension : dimensions)
        stripe.axes.push_back({dimension.size, algorithms::pattern_of(dimension)});
    const algorithms::Grid grid(stripe);
    for (std::uint32_t axis = 0; axis < grid.axes(); ++axis) {
        dimensions[axis].rate = 0;
        if (dimensions[axis].size == 1) continue;
        const std::vector<double> ps = occupied(links, path_of, ranks, grid, stripe.axes[axis], axis);
        const double most = ps.empty() ? 0 : *std::max_element(ps.begin(), ps.end());
        if (most > 0) dimensions[axis].rate = static_cast<std::uint64_t>(std::llround(ps_per_s / most));
    }
    return dimensions;
}

}  // namespace weft
