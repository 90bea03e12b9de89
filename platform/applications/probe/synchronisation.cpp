// Hand-off of a word, kernels one after another, barriers over all units.
#include <algorithm>
#include <array>
#include <cmath>

#include "platform/applications/probe/parts.h"

namespace weft {

namespace {

// A flag for each use, two lines apart.
std::uint64_t flag_at(std::uint64_t number) { return MemoryImage::flag_base + number * 128; }

// Two units turn one word up in turns: a thread repeats its compare-and-swap until that succeeds, then expects what the
// other one makes of it.
class HandOff {
public:
    HandOff(ProbeBench& bench, std::uint32_t first, std::uint32_t second, std::uint64_t word, std::uint64_t turns)
        : bench_(bench), units_{first, second}, word_(word), turns_(turns)
    {
    }

    // ns from one success to the next.
    double run()
    {
        for (const unsigned thread : {0U, 1U}) {
            expected_[thread] = thread;
            bench_.add(0, attempt(thread), shape(thread), &found_[thread], [this, thread] { answered(thread); });
        }
        return ns(bench_.run()) / static_cast<double>(2 * turns_);
    }

private:
    Program attempt(unsigned thread) const
    {
        Program program;
        program.add_fetch(AtomicOp::compare_swap, word_, expected_[thread] + 1, 0, 0, expected_[thread]);
        return program;
    }

    ProbeBench::Shape shape(unsigned thread) const
    {
        ProbeBench::Shape shape;
        shape.unit = units_[thread];
        shape.acquires = false;
        return shape;
    }

    void answered(unsigned thread)
    {
        if (found_[thread] == expected_[thread]) {
            if (++done_[thread] == turns_) return;
            expected_[thread] += 2;
        }
        bench_.start(0, attempt(thread), shape(thread), &found_[thread], [this, thread] { answered(thread); });
    }

    ProbeBench& bench_;
    std::array<std::uint32_t, 2> units_;
    std::uint64_t word_;
    std::uint64_t turns_;
    std::array<std::uint64_t, 2> expected_{};
    std::array<std::uint64_t, 2> found_{};
    std::array<std::uint64_t, 2> done_{};
};

double small_kernels(const ResolvedSystem& system, ProbeBench& bench)
{
    constexpr unsigned kernels = 8;
    Time total = 0;
    for (unsigned kernel = 0; kernel <= kernels; ++kernel) {
        for (std::uint32_t unit = 0; unit < bench.units(); ++unit) {
            Program program;
            const std::uint64_t at = std::uint64_t{unit} * 512;
            program.add_move({at}, {at}, 512, ElementType::u8, ReduceOp::sum);
            bench.add(0, std::move(program), {});
        }
        const Time took = system.gpu(system.endpoints().at(0)).launch_latency;
        bench.pass(took);
        const Time kernel_time = bench.run();
        if (kernel > 0) total += took + kernel_time;  // the first one finds its data in the DRAM
    }
    return ns(total) / kernels;
}

constexpr unsigned barriers = 8;

double barrier_of(ProbeBench& bench, const std::function<void(Program&, std::uint32_t, std::uint64_t)>& arrive)
{
    for (std::uint32_t unit = 0; unit < bench.units(); ++unit) {
        Program program;
        for (std::uint64_t turn = 1; turn <= barriers; ++turn) arrive(program, unit, turn);
        bench.add(0, std::move(program), {});
    }
    return ns(bench.run()) / barriers;
}

}  // namespace

void measure_synchronisation(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const L2Spec& l2 = system.l2(system.endpoints().at(0));
    constexpr std::uint64_t turns = 200;
    const std::uint32_t units = bench.units();
    if (units > 1) out.add("time.handoff", HandOff(bench, 0, 1, 0, turns).run());
    if (units > 1 && l2.partitions > 1) out.add("time.handoff_far", HandOff(bench, 0, units - 1, 4096, turns).run());
    out.add("time.kernel", small_kernels(system, bench));

    out.add("time.barrier_counter", barrier_of(bench, [&](Program& program, std::uint32_t, std::uint64_t turn) {
        program.add_signal(flag_at(0), 0, Scope::device);
        program.add_wait(flag_at(0), turn * units);
    }));
    // Members of a group tell their first unit, first units tell unit 0, and the news comes back the same way.
    const auto group = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(units))));
    const std::uint32_t groups = (units + group - 1) / group;
    out.add("time.barrier_flags", barrier_of(bench, [&](Program& program, std::uint32_t unit, std::uint64_t turn) {
        const std::uint32_t own = unit / group;
        const std::uint32_t members = std::min(group, units - own * group);
        const std::uint64_t arrived = flag_at(1 + own);
        const std::uint64_t root = flag_at(1 + groups);
        const auto left = [&](std::uint32_t member) { return flag_at(2 + groups + member); };
        if (unit % group != 0) {
            program.add_signal(arrived, 0, Scope::device);
            program.add_wait(left(unit), turn);
            return;
        }
        if (members > 1) program.add_wait(arrived, turn * (members - 1));
        if (unit != 0) {
            program.add_signal(root, 0, Scope::device);
            program.add_wait(left(unit), turn);
        } else {
            if (groups > 1) program.add_wait(root, turn * (groups - 1));
            for (std::uint32_t other = group; other < units; other += group)
                program.add_signal(left(other), 0, Scope::device);
        }
        for (std::uint32_t member = unit + 1; member < unit + members; ++member)
            program.add_signal(left(member), 0, Scope::device);
    }));
}

}  // namespace weft
