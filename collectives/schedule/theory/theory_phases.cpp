// Phases along the axes of grids. Along an axis of size p, the block that starts at coordinate x is passed on
// from offset o - h to offset o, a hop of h, once for each o of 1 to p - 1. So a rank at coordinate x sends
// over a hop of h what starts at x - (o - h); a sum that ends there runs the same way, and what ends at x + o
// is sent.
#include "collectives/schedule/algorithms/phases.h"
#include "collectives/schedule/theory/formulas.h"

namespace weft {

namespace {

class StripeTheory {
public:
    StripeTheory(const TheoryCase& theory, algorithms::Stripe stripe, std::uint32_t index, std::uint32_t stripes)
        : stripe_(std::move(stripe)), grid_(stripe_), position_(theory.ranks)
    {
        const Shares shares(theory);
        gathers_ = theory.op != CollectiveOp::reduce_scatter;
        reduces_ = theory.op != CollectiveOp::all_gather;
        for (std::uint32_t q = 0; q < theory.ranks; ++q) {
            position_[stripe_.order[q]] = q;
            bytes_.push_back(shares.of(stripe_.order[q] * stripes + index, theory.ranks * stripes));
        }
    }

    std::uint64_t between(std::uint32_t from, std::uint32_t to) const
    {
        const std::uint32_t x = position_[from];
        const std::uint32_t y = position_[to];
        std::uint32_t axis = grid_.axes();  // the only one on which they differ
        for (std::uint32_t a = 0; a < grid_.axes(); ++a) {
            if (grid_.coordinate(x, a) == grid_.coordinate(y, a)) continue;
            if (axis != grid_.axes()) return 0;
            axis = a;
        }
        if (axis == grid_.axes()) return 0;
        const auto [p, pattern] = stripe_.axes[axis];
        const std::uint32_t here = grid_.coordinate(x, axis);
        const std::uint32_t hop = (grid_.coordinate(y, axis) + p - here) % p;
        std::uint64_t bytes = 0;
        for (std::uint32_t o = hop; o < p; ++o) {
            if (o - shapes::pattern_parent(pattern, o) != hop) continue;
            if (gathers_) bytes += plane(x, axis, here + p - (o - hop));
            if (reduces_) bytes += plane(x, axis, here + o);
        }
        return bytes;
    }

    std::uint32_t steps() const
    {
        std::uint32_t steps = 0;
        for (const algorithms::Axis& axis : stripe_.axes) steps += shapes::pattern_steps(axis.pattern, axis.size);
        return gathers_ && reduces_ ? 2 * steps : steps;
    }

private:
    std::uint64_t plane(std::uint32_t position, std::uint32_t axis, std::uint32_t coordinate) const
    {
        std::uint64_t bytes = 0;
        for (std::uint32_t q : grid_.plane(position, axis, coordinate)) bytes += bytes_[q];
        return bytes;
    }

    algorithms::Stripe stripe_;
    algorithms::Grid grid_;
    std::vector<std::uint32_t> position_;  // by rank
    std::vector<std::uint64_t> bytes_;     // by owner's position
    bool gathers_ = false;
    bool reduces_ = false;
};

}  // namespace

std::optional<Formulas> phase_formulas(const TheoryCase& theory)
{
    AlgorithmOptions options;
    options.rings = theory.rings;
    options.orders = theory.orders;
    options.dimensions = theory.dimensions;
    options.scheduling = theory.scheduling;
    const std::vector<algorithms::Stripe> stripes =
        algorithms::stripes_of(theory.algorithm, theory.op, theory.ranks, options);
    if (stripes.empty()) return std::nullopt;
    std::vector<StripeTheory> all;
    const auto count = static_cast<std::uint32_t>(stripes.size());
    for (std::uint32_t l = 0; l < count; ++l) all.emplace_back(theory, stripes[l], l, count);
    const std::uint32_t steps = theory.algorithm == "multi_dim"
        ? algorithms::multi_dim_steps(theory.op, theory.ranks, options)
        : all.front().steps();
    return Formulas{steps, [all = std::move(all)](std::uint32_t from, std::uint32_t to) {
                        std::uint64_t bytes = 0;
                        for (const StripeTheory& stripe : all) bytes += stripe.between(from, to);
                        return bytes;
                    }};
}

}  // namespace weft
