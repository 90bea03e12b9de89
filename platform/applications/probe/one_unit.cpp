// The bandwidth of a single compute unit, since collectives run on few: the difference of two kernels that differ only in length.
#include <algorithm>

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/applications/probe/parts.h"

namespace weft {

namespace {

class OneUnit {
public:
    OneUnit(ProbeBench& bench, const GpuSpec& gpu, const ProbeBench::Shape& shape)
        : bench_(bench), groups_(gpu.workgroups_per_unit), shape_(shape),
          step_(groups_ * shape.wavefronts * shape.unroll * gpu.lanes * shape.vector_bytes)
    {
        shape_.unit = 0;
    }

    // A multiple of what all wavefronts have in flight at once.
    std::uint64_t whole(std::uint64_t bytes) const { return std::max(step_, bytes / step_ * step_); }

    // Moves `bytes` from one place to another, `times` over; below zero: loads or stores alone.
    Time run(std::int64_t from, std::int64_t to, std::uint64_t bytes, unsigned times)
    {
        const std::uint64_t piece = bytes / groups_;
        for (std::uint64_t group = 0; group < groups_; ++group) {
            std::vector<std::uint64_t> sources;
            std::vector<std::uint64_t> destinations;
            if (from >= 0) sources.push_back(static_cast<std::uint64_t>(from) + group * piece);
            if (to >= 0) destinations.push_back(static_cast<std::uint64_t>(to) + group * piece);
            Program program;
            for (unsigned time = 0; time < times; ++time) {
                program.add_move(sources, destinations, piece, ElementType::u8, ReduceOp::sum, 0, time > 0);
                program.operations.back().scope = Scope::device;
            }
            bench_.add(0, std::move(program), shape_);
        }
        return bench_.run();
    }

    // GB/s of the longer kernel over the shorter one, over lines that the L2 has.
    double steady(std::int64_t from, std::int64_t to, std::uint64_t bytes)
    {
        constexpr unsigned times = 8;
        run(from, to, bytes, 1);
        const Time shorter = run(from, to, bytes, times);
        return rate(2 * times * bytes, run(from, to, bytes, 3 * times) - shorter);
    }

private:
    ProbeBench& bench_;
    std::uint64_t groups_;
    ProbeBench::Shape shape_;
    std::uint64_t step_;
};

}  // namespace

void measure_one_unit(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const NodeId node = system.endpoints().at(0);
    const GpuSpec& gpu = system.gpu(node);
    OneUnit unit(bench, gpu, full_shape(gpu));
    const std::uint64_t bytes = unit.whole(std::min<std::uint64_t>(64 << 10, Levels(system).near / 4));
    const auto second = static_cast<std::int64_t>(bytes);
    // Memory that nobody has touched, behind what displaces the lines that have been written, where a cache has no room beside them:
    // else the first of the two kernels would wait for their write-backs, and the other one not.
    const std::uint64_t less = unit.whole(512 << 10);
    std::uint64_t first = 2 * bytes;
    std::uint64_t cleared = 0;
    for (const std::uint64_t cache : {Levels(system).near, Levels(system).memory_side})
        if (cache > 0 && cache < first + 4 * less) cleared += unit.whole(2 * cache);
    const std::uint64_t end = first + cleared + 4 * less;
    if (end > system.hbm(node).capacity)
        throw InputError("weft", 0, "bandwidth.unit_dram needs " + format_bytes(end) + " of memory",
            "a larger hbm.capacity, or --only without bandwidth.unit_*");
    if (first > Levels(system).near)
        throw InputError("weft", 0,
            "two pieces of what a unit has in flight, " + format_bytes(first) + ", are more than the L2 near to it",
            "a larger l2.size, or --only without bandwidth.unit_*");
    out.add("bandwidth.unit_read", unit.steady(0, -1, bytes));
    out.add("bandwidth.unit_write", unit.steady(-1, 0, bytes));
    out.add("bandwidth.unit_copy", unit.steady(0, second, bytes));
    if (cleared > 0) unit.run(static_cast<std::int64_t>(first), -1, cleared, 1);
    first += cleared;
    const Time shorter = unit.run(static_cast<std::int64_t>(first), -1, less, 1);
    const Time longer = unit.run(static_cast<std::int64_t>(first + less), -1, 3 * less, 1);
    out.add("bandwidth.unit_dram", rate(2 * less, longer - shorter));
}

}  // namespace weft
