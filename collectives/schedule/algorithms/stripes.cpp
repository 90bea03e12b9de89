// The algorithms that are phases along axes, by their stripes.
#include <algorithm>

#include <fmt/format.h>

#include "base/comma_list.h"
#include "base/diagnostic.h"
#include "collectives/schedule/algorithms/dimension_plan.h"
#include "collectives/schedule/algorithms/phases.h"

namespace weft {

namespace {

constexpr std::uint32_t rings_by_default = 8;

void check_orders(const AlgorithmOptions& options, std::uint32_t ranks)
{
    for (std::size_t i = 0; i < options.orders.size(); ++i) {
        std::vector<std::uint32_t> sorted = options.orders[i];
        std::sort(sorted.begin(), sorted.end());
        if (sorted != shapes::identity_ring(ranks))
            throw InputError("", 0, fmt::format("ring {} does not contain every rank once", i),
                fmt::format("ranks 0 to {} in some order", ranks - 1));
    }
}

algorithms::Stripe line(shapes::Ring order, shapes::Pattern pattern)
{
    const auto size = static_cast<std::uint32_t>(order.size());
    return {std::move(order), {{size, pattern}}};
}

std::vector<algorithms::Stripe> rings(const std::vector<shapes::Ring>& orders)
{
    std::vector<algorithms::Stripe> stripes;
    for (const shapes::Ring& order : orders) stripes.push_back(line(order, shapes::Pattern::ring));
    return stripes;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> ring_orders(const AlgorithmOptions& options, std::uint32_t ranks)
{
    if (!options.orders.empty()) {
        check_orders(options, ranks);
        return options.orders;
    }
    const std::uint32_t most = shapes::most_disjoint_rings(ranks);
    if (options.rings > most)
        throw InputError("", 0, fmt::format("{} rings over {} ranks", options.rings, ranks),
            fmt::format("at most {} rings that share no link", most));
    return shapes::disjoint_rings(ranks, options.rings > 0 ? options.rings : std::min(most, rings_by_default));
}

std::optional<std::vector<Dimension>> dimensions_from_text(const std::string& text, std::string* repeated)
{
    std::vector<Dimension> dimensions;
    for (const std::string_view item : comma_list(text)) {
        const std::string one(item);
        const std::size_t equals = one.find('=');
        const std::size_t colon = std::min(one.find(':'), one.size());
        if (equals == 0 || equals == std::string::npos || colon < equals) return std::nullopt;
        Dimension dimension;
        dimension.name = one.substr(0, equals);
        const std::string size = one.substr(equals + 1, colon - equals - 1);
        if (size.empty() || size.size() > 4 || size.find_first_not_of("0123456789") != std::string::npos)
            return std::nullopt;
        dimension.size = static_cast<std::uint32_t>(std::stoul(size));
        if (colon < one.size()) dimension.algorithm = one.substr(colon + 1);
        if (dimension.algorithm != "ring" && dimension.algorithm != "direct" && dimension.algorithm != "recursive")
            return std::nullopt;
        for (const Dimension& other : dimensions) {
            if (other.name != dimension.name) continue;
            if (repeated != nullptr) *repeated = dimension.name;
            return std::nullopt;
        }
        dimensions.push_back(std::move(dimension));
    }
    return dimensions;
}

std::vector<Dimension> dimensions_of(const AlgorithmOptions& options, std::uint32_t ranks)
{
    if (options.dimensions.empty()) {
        std::uint32_t inner = 1;
        for (std::uint32_t size = 1; std::uint64_t{size} * size <= ranks; ++size)
            if (ranks % size == 0) inner = ranks / size;
        return {{"inner", inner, "ring"}, {"outer", ranks / inner, "ring"}};
    }
    std::uint64_t product = 1;
    std::string sizes;
    for (const Dimension& dimension : options.dimensions) {
        product = std::min<std::uint64_t>(product * dimension.size, UINT32_MAX);
        sizes += fmt::format("{}{} {}", sizes.empty() ? "" : " x ", dimension.name, dimension.size);
    }
    if (product != ranks)
        throw InputError("", 0, fmt::format("dimensions {} of {} ranks", sizes, ranks),
            "sizes that multiply to the number of ranks");
    return options.dimensions;
}

shapes::Pattern algorithms::pattern_of(const Dimension& dimension)
{
    if (dimension.algorithm == "ring") return shapes::Pattern::ring;
    if (dimension.algorithm == "direct") return shapes::Pattern::direct;
    if (dimension.algorithm == "recursive") return shapes::Pattern::near_first;
    throw InputError("", 0, fmt::format("dimension '{}' has the algorithm '{}'", dimension.name, dimension.algorithm),
        "ring, direct or recursive");
}

std::vector<algorithms::Stripe> algorithms::stripes_of(const std::string& algorithm, CollectiveOp op,
    std::uint32_t ranks, const AlgorithmOptions& options)
{
    if (op != CollectiveOp::all_reduce && op != CollectiveOp::all_gather && op != CollectiveOp::reduce_scatter)
        return {};
    if (algorithm == "rings" || (algorithm == "ring" && !options.orders.empty()))
        return rings(ring_orders(options, ranks));
    if (algorithm == "bidirectional_ring") {
        const shapes::Ring one =
            options.orders.empty() ? shapes::identity_ring(ranks) : ring_orders(options, ranks).front();
        return rings({one, {one.rbegin(), one.rend()}});
    }
    if (algorithm == "bruck") return {line(shapes::identity_ring(ranks), shapes::Pattern::near_first)};
    if (algorithm == "pat") return {line(shapes::identity_ring(ranks), shapes::Pattern::far_first)};
    if (algorithm == "multi_dim") {
        const PlannedAxes axes = planned_axes(op, ranks, options);
        std::vector<Stripe> stripes;
        for (const std::vector<std::uint32_t>& order : axes.plan.orders)
            stripes.push_back(reordered(axes.dimensions, order, ranks));
        return stripes;
    }
    if (algorithm != "hierarchical") return {};
    Stripe stripe{shapes::identity_ring(ranks), {}};
    for (const Dimension& dimension : dimensions_of(options, ranks))
        stripe.axes.push_back({dimension.size, pattern_of(dimension)});
    return {stripe};
}

void algorithms::by_phases(Schedule& schedule, const AlgorithmOptions& options)
{
    phased(schedule, options, stripes_of(schedule.name, schedule.op, schedule.size(), options));
}

}  // namespace weft
