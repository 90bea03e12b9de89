#include "tlm_interconnect/traffic/pattern.h"

#include <numeric>

#include "base/diagnostic.h"

namespace weft {

const std::vector<std::string>& pattern_names()
{
    static const std::vector<std::string> names{"uniform", "permutation", "transpose", "bit_complement",
        "nearest_neighbour", "tornado", "hot_spot", "incast", "all_to_all"};
    return names;
}

namespace {

bool power_of_two(std::uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

Pattern::Pattern(const PatternSpec& spec, std::uint32_t endpoints, std::uint64_t seed)
    : spec_(spec), endpoints_(endpoints)
{
    const auto refuse = [&](const std::string& expected) {
        throw InputError("", 0,
            "pattern " + pattern_names()[static_cast<std::size_t>(spec.kind)] + " for " + std::to_string(endpoints) +
                " endpoints",
            expected);
    };
    if (endpoints < 2) refuse("at least 2 endpoints");
    while (std::uint32_t{1} << bits_ < endpoints) ++bits_;
    switch (spec.kind) {
    case PatternKind::transpose:
        if (!power_of_two(endpoints) || bits_ % 2 != 0) refuse("a power of 4");
        break;
    case PatternKind::bit_complement:
        if (!power_of_two(endpoints)) refuse("a power of 2");
        break;
    case PatternKind::incast:
        if (spec.sources >= endpoints) refuse("fewer sources than endpoints");
        if (spec.sources == 0) spec_.sources = endpoints - 1;
        break;
    case PatternKind::permutation: {
        table_.resize(endpoints);
        std::iota(table_.begin(), table_.end(), 0U);
        // One cycle through all [Sattolo 1986]: nobody sends to itself.
        RandomStream random(seed, 0x7065726dU);
        for (std::uint32_t i = endpoints - 1; i > 0; --i) std::swap(table_[i], table_[random.below(i)]);
        break;
    }
    case PatternKind::nearest_neighbour:
    case PatternKind::tornado:
        if (spec.side != 0 && std::uint64_t{spec.side} * spec.side != endpoints) refuse("side x side");
        break;
    default: break;
    }
}

bool Pattern::takes_part(std::uint32_t endpoint) const
{
    return sends(endpoint) || (spec_.kind == PatternKind::incast && endpoint == 0);
}

bool Pattern::sends(std::uint32_t source) const
{
    return spec_.kind != PatternKind::incast || (source >= 1 && source <= spec_.sources);
}

bool Pattern::sends_to_others(std::uint32_t source) const
{
    switch (spec_.kind) {
    case PatternKind::permutation:
    case PatternKind::transpose:
    case PatternKind::bit_complement:
    case PatternKind::nearest_neighbour:
    case PatternKind::tornado: {
        RandomStream unused(0, 0);
        return destination(source, 0, unused) != source;
    }
    default: return sends(source);
    }
}

std::uint32_t Pattern::shifted(std::uint32_t source, std::uint32_t ring_shift, std::uint32_t side_shift) const
{
    if (spec_.side == 0) return (source + ring_shift) % endpoints_;
    const std::uint32_t x = (source % spec_.side + side_shift) % spec_.side;
    const std::uint32_t y = (source / spec_.side + side_shift) % spec_.side;
    return y * spec_.side + x;
}

std::uint32_t Pattern::destination(std::uint32_t source, std::uint64_t count, RandomStream& random) const
{
    switch (spec_.kind) {
    case PatternKind::uniform: break;
    case PatternKind::permutation: return table_[source];
    case PatternKind::transpose: {
        const unsigned half = bits_ / 2;
        return (source >> half) | ((source << half) & (endpoints_ - 1));
    }
    case PatternKind::bit_complement: return ~source & (endpoints_ - 1);
    case PatternKind::nearest_neighbour: return shifted(source, 1, 1);
    case PatternKind::tornado: return shifted(source, (endpoints_ + 1) / 2 - 1, (spec_.side + 1) / 2 - 1);
    case PatternKind::hot_spot:
        if (random.chance(spec_.fraction) && (source != 0 || spec_.self)) return 0;
        break;
    case PatternKind::incast: return 0;
    case PatternKind::all_to_all:
        return static_cast<std::uint32_t>((source + 1 + count % (endpoints_ - 1)) % endpoints_);
    }
    if (spec_.self) return static_cast<std::uint32_t>(random.below(endpoints_));
    const auto other = static_cast<std::uint32_t>(random.below(endpoints_ - 1));
    return other < source ? other : other + 1;
}

}  // namespace weft
