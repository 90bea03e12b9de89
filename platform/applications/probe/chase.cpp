// Dependent loads: which lines, in which order, and what one takes.
#include <algorithm>
#include <cmath>
#include <random>

#include "platform/applications/probe/parts.h"

namespace weft {

Levels::Levels(const ResolvedSystem& system)
{
    const NodeId node = system.endpoints().at(0);
    const L2Spec& spec = system.l2(node);
    l1 = system.l1(node).size;
    near = spec.mirrored() || spec.separate() ? spec.size / spec.partitions : spec.size;
    l2 = spec.separate() ? near : spec.size;
    memory_side = system.memory_side(node).size;
    all = spec.size + memory_side;
}

namespace {

// A cache as a sample sees it: one row of the footprint covers `rows` of its sets, evenly.
struct Sampled {
    std::uint64_t size;
    std::uint64_t sets;
    std::uint64_t rows;
};

constexpr std::uint64_t most_loads = 12'288;

// Every how many rows one may be taken, so that the rows use the same part of a cache's sets as of the footprint.
// A cache of which the footprint is many times the size is of no account: nothing is found there either way.
std::uint64_t sample_of(const std::vector<Sampled>& caches, std::uint64_t footprint, std::uint64_t wanted)
{
    std::uint64_t sample = 1;
    while (2 * sample <= wanted && std::all_of(caches.begin(), caches.end(), [&](const Sampled& cache) {
        return cache.size < footprint / 4 || cache.sets % (2 * sample * cache.rows) == 0;
    }))
        sample *= 2;
    return sample;
}

}  // namespace

std::vector<std::uint64_t> lines_of(const ResolvedSystem& system, std::uint64_t footprint)
{
    const NodeId node = system.endpoints().at(0);
    const L1Spec& l1 = system.l1(node);
    const L2Spec& l2 = system.l2(node);
    const MemorySideSpec& side = system.memory_side(node);
    const std::uint64_t channels = system.hbm(node).channels;
    const std::uint64_t places = side.present() ? std::max(l2.slices, channels) : l2.slices;
    // Where the L2 is too small, each line of the memory-side cache is loaded from once: a second load could find what the first has fetched.
    const std::uint64_t step = side.present() && footprint > l2.size ? std::max(l2.line, side.line) : l2.line;
    const std::uint64_t row = places * step;
    std::vector<Sampled> caches;
    if (l1.size > 0)
        caches.push_back({l1.size, l1.size / l1.line / l1.ways, std::max<std::uint64_t>(1, row / l1.line)});
    const std::uint64_t parts = l2.mirrored() || l2.separate() ? l2.partitions : 1;
    caches.push_back({l2.separate() ? l2.size / parts : l2.size, l2.size / l2.slices / l2.ways / l2.line,
        places * parts * (step / l2.line) / l2.slices});
    if (side.present())
        caches.push_back({side.size, side.size / channels / side.ways / side.line,
            std::max<std::uint64_t>(1, row / side.line / channels)});
    const std::uint64_t sample =
        sample_of(caches, footprint, std::max<std::uint64_t>(1, footprint / step / most_loads));

    std::vector<std::uint64_t> lines;
    for (std::uint64_t at = 0; at < footprint; at += row * sample)
        for (std::uint64_t line = at; line < std::min(at + row, footprint); line += step) lines.push_back(line);
    return lines;
}

double chase(ProbeBench& bench, std::uint32_t from, std::uint32_t home, std::vector<std::uint64_t> lines, Scope scope)
{
    std::mt19937_64 random(1);
    for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random() % i]);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const std::uint64_t next = global_address(home, lines[(i + 1) % lines.size()]);
        bench.gpu(home).image().write_past_caches(lines[i], reinterpret_cast<const std::uint8_t*>(&next), sizeof next);
    }
    Program round;
    round.add_chase(global_address(home, lines[0]), lines.size(), scope);
    ProbeBench::Shape shape;
    shape.unit = 0;
    bench.add(from, round, shape);
    bench.run();
    shape.acquires = false;  // what the first round left in the L1 stays there
    bench.add(from, round, shape);
    return ns(bench.run()) / static_cast<double>(lines.size());
}

void measure_latency(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const Levels levels(system);
    const auto load = [&](std::uint64_t footprint, Scope scope) {
        return chase(bench, 0, 0, lines_of(system, footprint), scope);
    };
    if (levels.l1 > 0) out.add("latency.l1", load(levels.l1 / 2, Scope::unit));
    out.add("latency.l2", load(levels.near / 2, Scope::device));
    if (levels.l2 > levels.near) out.add("latency.l2_far", load(levels.l2 * 17 / 20, Scope::device));
    if (levels.memory_side > 0)
        out.add("latency.memory_side", load(std::max(levels.memory_side / 4, 4 * levels.l2), Scope::device));
    // Where lines of the L2 are longer than those of the memory-side cache, that cache gets only the part of a line that is loaded.
    const NodeId node = system.endpoints().at(0);
    const MemorySideSpec& side = system.memory_side(node);
    const std::uint64_t sectors = side.present() ? std::max<std::uint64_t>(1, system.l2(node).line / side.line) : 1;
    out.add("latency.dram", load(2 * sectors * levels.all, Scope::device));
}

// Three footprints an octave, as a kernel sees them: through the L1.
void measure_curve(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    constexpr double smallest = 16 << 10;
    const double largest = 2.0 * static_cast<double>(Levels(system).all);
    const std::uint64_t line = system.l2(system.endpoints().at(0)).line;
    ProbeCurve curve{"latency over footprint", "B", "ns", {}, {}};
    for (int i = 0;; ++i) {
        const double at = smallest * std::pow(2.0, i / 3.0);
        if (at > largest) break;
        const auto footprint = static_cast<std::uint64_t>(at) / line * line;
        curve.points.emplace_back(static_cast<double>(footprint),
            chase(bench, 0, 0, lines_of(system, footprint), Scope::unit));
    }
    out.curves.push_back(std::move(curve));
}

}  // namespace weft
