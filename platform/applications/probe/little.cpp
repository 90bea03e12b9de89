// Bandwidth against requests in flight: loads of one line each, a given number of them always under way.
#include <algorithm>

#include "platform/applications/probe/parts.h"

namespace weft {

namespace {

struct Place {
    const char* name;
    std::uint32_t home;
    bool cold;  // every load to a line that nobody has loaded
};

class Loads {
public:
    Loads(ProbeBench& bench, const GpuSpec& gpu) : bench_(bench), gpu_(gpu) {}

    // What `loads` more for each of `per_unit` loads in flight on every unit add to the time, GB/s.
    double rate_of(const Place& place, std::uint64_t per_unit, std::uint64_t loads)
    {
        if (!place.cold) run(place, per_unit, 1);
        const Time shorter = run(place, per_unit, loads);
        const Time longer = run(place, per_unit, 3 * loads);
        return rate(2 * loads * per_unit * bench_.units() * line_bytes, longer - shorter);
    }

private:
    // Wavefronts of one register; an instruction covers one line: 2 B for each of 32 lanes.
    Time run(const Place& place, std::uint64_t per_unit, std::uint64_t loads)
    {
        const std::uint64_t groups = std::min(per_unit, gpu_.workgroups_per_unit);
        const std::uint64_t waves =
            std::min(std::max<std::uint64_t>(1, per_unit / groups), gpu_.wavefronts_per_unit / groups);
        const std::uint64_t unroll = std::max<std::uint64_t>(1, per_unit / groups / waves);
        const std::uint64_t round = waves * unroll * line_bytes;
        ProbeBench::Shape shape;
        shape.wavefronts = static_cast<std::uint32_t>(waves);
        shape.unroll = static_cast<std::uint32_t>(unroll);
        shape.vector_bytes = static_cast<std::uint32_t>(line_bytes / gpu_.lanes);
        for (std::uint64_t i = 0; i < groups * bench_.units(); ++i) {
            // The same lines again and again, or always further ones.
            Program program;
            for (std::uint64_t turn = 0; turn < loads; ++turn) {
                const std::uint64_t at = place.cold ? next_ + (turn * groups * bench_.units() + i) * round : i * round;
                program.add_move({global_address(place.home, at)}, {}, round, ElementType::u8, ReduceOp::sum, 0,
                    turn > 0);
            }
            shape.unit = static_cast<std::int64_t>(i % bench_.units());
            bench_.add(0, std::move(program), shape);
        }
        if (place.cold) next_ += groups * bench_.units() * loads * round;
        return bench_.run();
    }

    ProbeBench& bench_;
    const GpuSpec& gpu_;
    std::uint64_t next_ = std::uint64_t{1} << 28;
};

}  // namespace

void measure_little(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const GpuSpec& gpu = system.gpu(system.endpoints().at(0));
    Loads loads(bench, gpu);
    std::vector<Place> places{{"L2", 0, false}, {"DRAM", 0, true}};
    if (bench.size() > 1) places.push_back({"peer", 1, false});
    for (const Place& place : places) {
        ProbeCurve curve{std::string("bandwidth over loads in flight, ") + place.name, "loads", "GB/s", {}, {}};
        for (std::uint64_t per_unit = 1; per_unit <= std::min<std::uint64_t>(gpu.outstanding, 512); per_unit *= 2) {
            const std::uint64_t count = std::max<std::uint64_t>(2, 32 / per_unit);
            curve.points.emplace_back(static_cast<double>(per_unit * bench.units()),
                loads.rate_of(place, per_unit, count));
        }
        // One load a unit has the idle latency, all that fit have the peak.
        double peak = 0;
        for (const auto& point : curve.points) peak = std::max(peak, point.second);
        const double each = curve.points.front().second / curve.points.front().first;
        for (const auto& point : curve.points) curve.expected.push_back(std::min(peak, point.first * each));
        out.curves.push_back(std::move(curve));
    }
}

}  // namespace weft
