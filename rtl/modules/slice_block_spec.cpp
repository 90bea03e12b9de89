#include "rtl/modules/slice_block_spec.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "base/units.h"

namespace weft {

namespace {

constexpr std::uint64_t line_bytes = 64;
constexpr std::uint64_t most_sets = 65536;
constexpr std::uint64_t most_misses = 256;
constexpr std::uint64_t most_merges = 255;

// The largest power of two of up to `most` that is no larger than `value`.
std::uint64_t power_below(std::uint64_t value, std::uint64_t most)
{
    std::uint64_t power = 2;
    while (power * 2 <= std::min(value, most)) power *= 2;
    return power;
}

struct Obstacles {
    std::string what;
    std::string expected;
    std::vector<const char*> parameters;

    void add(bool there, const std::string& is, const std::string& should, std::initializer_list<const char*> of)
    {
        if (!there) return;
        parameters.insert(parameters.end(), of);
        what += (what.empty() ? "" : ", ") + is;
        expected += (expected.empty() ? "" : ", ") + should;
    }
};

}  // namespace

SliceBlockSpec slice_block_spec(const L2Spec& spec)
{
    constexpr std::uint64_t line_ps = line_bytes * 1'000'000'000'000;
    SliceBlockSpec out;
    const std::uint64_t rate = std::max<std::uint64_t>(1, spec.bandwidth / spec.slices);
    out.clock = spec.clock > 0 ? spec.clock : std::max<std::uint64_t>(1, (line_ps + rate / 2) / rate);
    const std::uint64_t sets = spec.size / (line_bytes * spec.slices * spec.ways);
    const std::uint64_t fitting = power_below(sets, most_sets);
    const std::uint64_t pipeline = out.block.hit_latency() * out.clock;

    Obstacles no;
    no.add(spec.partitions > 1, fmt::format("{} partitions", spec.partitions), "l2.partitions=1", {"partitions"});
    no.add(spec.line != line_bytes, "lines of " + format_bytes(spec.line), "l2.line=64", {"line"});
    no.add(sets != fitting, fmt::format("{} sets in a slice", sets),
        fmt::format("l2.size={}, a power of two of sets", format_bytes(fitting * line_bytes * spec.slices * spec.ways)),
        {"size", "slices", "ways"});
    no.add(spec.outstanding_misses > most_misses, fmt::format("{} misses in flight", spec.outstanding_misses),
        fmt::format("l2.outstanding_misses up to {}", most_misses), {"outstanding_misses"});
    no.add(spec.merges > most_merges, fmt::format("{} merges", spec.merges),
        fmt::format("l2.merges up to {}", most_merges), {"merges"});
    no.add(spec.latency < pipeline, fmt::format("a latency of {} ps with a clock of {} ps", spec.latency, out.clock),
        fmt::format("l2.latency of at least {} clocks", out.block.hit_latency()),
        {"latency", "clock", "bandwidth", "slices"});
    if (!no.what.empty())
        throw SliceBlockRefused("a clocked slice of an L2 with " + no.what, no.expected, std::move(no.parameters));

    out.block.sets = static_cast<std::uint32_t>(sets);
    out.block.ways = static_cast<std::uint32_t>(spec.ways);
    out.block.mshrs = static_cast<std::uint32_t>(spec.outstanding_misses);
    out.block.merges = spec.merges == 0 ? slice_block_merges : static_cast<std::uint32_t>(spec.merges);
    out.rest = spec.latency - pipeline;
    out.block.check();
    return out;
}

}  // namespace weft
