// Bandwidth of the caches and of the DRAM of one GPU: two kernels that differ in length only, so that beginning and end
// cancel out.
#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/units.h"
#include "platform/applications/probe/dram_banks.h"
#include "platform/applications/probe/limits.h"
#include "platform/applications/probe/parts.h"

namespace weft {

namespace {

// Bytes that the workgroups of a unit cover with one instruction each.
std::uint64_t step_of(const GpuSpec& gpu)
{
    return gpu.workgroups_per_unit * gpu.lanes * ProbeBench::Shape().vector_bytes;
}

// Workgroups of the GPU, as many to each unit as fit, and what they read.
class Readers {
public:
    Readers(const ResolvedSystem& system, ProbeBench& bench)
        : bench_(bench), gpu_(system.gpu(system.endpoints().at(0))), shape_(full_shape(gpu_)),
          groups_(gpu_.workgroups_per_unit)
    {
    }

    std::uint64_t units() const { return bench_.units(); }
    const GpuSpec& gpu() const { return gpu_; }

    // Every unit reads `bytes` from `base` + `bytes` x the unit that is `shift` units away, `times` over; ps.
    Time read(std::uint64_t base, std::uint64_t bytes, std::uint64_t shift, unsigned times, Scope scope)
    {
        return run(shape_, base, bytes, shift, times, scope);
    }
    // Every unit reads its own `bytes` from `base` on, `times` over, and finds in its L1 what it has read there before.
    Time read_again(std::uint64_t base, std::uint64_t bytes, unsigned times)
    {
        ProbeBench::Shape shape = shape_;
        shape.acquires = false;
        return run(shape, base, bytes, 0, times, Scope::unit);
    }
    // The same without haste: few lines in flight, so that none has to wait for a free miss.
    void fill(std::uint64_t base, std::uint64_t bytes)
    {
        ProbeBench::Shape shape;
        shape.wavefronts = 2;
        run(shape, base, bytes, 0, 1, Scope::device);
    }

private:
    Time run(ProbeBench::Shape shape, std::uint64_t base, std::uint64_t bytes, std::uint64_t shift, unsigned times,
        Scope scope)
    {
        const std::uint64_t piece = bytes / groups_;
        for (std::uint64_t i = 0; i < units() * groups_; ++i) {
            const std::uint64_t unit = i % units();
            const std::uint64_t at = base + (unit + shift) % units() * bytes + i / units() * piece;
            Program program;
            for (unsigned time = 0; time < times; ++time) {
                program.add_move({at}, {}, piece, ElementType::u8, ReduceOp::sum, 0, time > 0);
                program.operations.back().scope = scope;
            }
            shape.unit = static_cast<std::int64_t>(unit);
            bench_.add(0, std::move(program), shape);
        }
        return bench_.run();
    }

    ProbeBench& bench_;
    const GpuSpec& gpu_;
    ProbeBench::Shape shape_;
    std::uint64_t groups_;
};

}  // namespace

ProbeBench::Shape full_shape(const GpuSpec& gpu)
{
    ProbeBench::Shape shape;
    shape.wavefronts =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, gpu.wavefronts_per_unit / gpu.workgroups_per_unit));
    shape.unroll = 2;
    return shape;
}

ProbeBench::Shape stream_shape(const GpuSpec& gpu, const HbmSpec& hbm)
{
    ProbeBench::Shape shape = full_shape(gpu);
    shape.unroll = 1;
    const std::uint64_t instruction = gpu.lanes * shape.vector_bytes;
    const std::uint64_t groups = gpu.compute_units * gpu.workgroups_per_unit;
    // Two and a half times what is in flight at the peak of the pins and 400 ns: more only mixes more rows.
    const double lines = 2.5 * static_cast<double>(hbm.bandwidth) * 400e-9 / line_bytes;
    const double waves = std::ceil(lines * line_bytes / static_cast<double>(groups * instruction));
    // Where all wavefronts have less in flight than that, and less than their unit may have, each asks for more.
    const auto most = shape.wavefronts;
    while (shape.unroll < ComputeUnits::max_unroll && waves > most * shape.unroll &&
        gpu.workgroups_per_unit * most * shape.unroll * instruction < gpu.outstanding * line_bytes)
        ++shape.unroll;
    shape.wavefronts = std::clamp(static_cast<std::uint32_t>(std::min(waves, 1e6)), 1U, most);
    return shape;
}

std::uint64_t cache_piece(const GpuSpec& gpu, std::uint64_t share)
{
    return std::min(usual_piece, share / 2) / step_of(gpu) * step_of(gpu);
}

std::uint64_t l2_share(const ResolvedSystem& system)
{
    const NodeId node = system.endpoints().at(0);
    const Levels levels(system);
    const L2Spec& l2 = system.l2(node);
    const std::uint64_t units = system.gpu(node).compute_units / (levels.near < l2.size ? l2.partitions : 1);
    return levels.near / std::max<std::uint64_t>(1, units);
}

namespace {

// A first kernel brings the lines into the L1s, and the two that count hit there alone: loads that wait for a free miss would outlast
// any number of rounds.
void measure_l1(const Levels& levels, Readers& readers, ProbeResult& out)
{
    const std::uint64_t piece = cache_piece(readers.gpu(), levels.l1);
    if (piece == 0) return;
    constexpr unsigned times = 3;
    readers.fill(0, piece);
    readers.read(0, piece, 0, 1, Scope::unit);
    const Time shorter = readers.read_again(0, piece, times);
    const Time longer = readers.read_again(0, piece, 3 * times);
    out.add("bandwidth.l1", rate(2 * times * readers.units() * piece, longer - shorter));
}

void measure_l2(std::uint64_t share, Readers& readers, ProbeResult& out)
{
    const std::uint64_t piece = cache_piece(readers.gpu(), share);
    if (piece == 0) return;
    constexpr unsigned times = 2;
    readers.fill(0, piece);
    const Time shorter = readers.read(0, piece, 0, times, Scope::device);
    const Time longer = readers.read(0, piece, 0, 3 * times, Scope::device);
    out.add("bandwidth.l2", rate(2 * times * readers.units() * piece, longer - shorter));
}

// Units of one partition read pieces that units of another one have read before, each piece once.
void measure_other_partition(const Levels& levels, const L2Spec& l2, Readers& readers, ProbeResult& out)
{
    const std::uint64_t units = readers.units();
    const bool far = l2.mirrored();
    if (!far && !(l2.separate() && levels.memory_side > 0)) return;
    // Twice as much where beginning and end take longer, in the caches of two levels.
    const std::uint64_t most = far ? usual_piece : 2 * usual_piece;
    const std::uint64_t step = step_of(readers.gpu());
    const std::uint64_t piece = std::min(most, (far ? l2.size : levels.memory_side) / units / 8) / step * step;
    if (piece == 0) return;
    const auto once = [&](std::uint64_t base, std::uint64_t bytes) {
        readers.fill(base, bytes);
        return readers.read(base, bytes, units / l2.partitions, 1, Scope::device);
    };
    const Time shorter = once(units * piece, piece);
    const Time longer = once(2 * units * piece, 3 * piece);
    out.add(far ? "bandwidth.l2_far" : "bandwidth.memory_side", rate(2 * units * piece, longer - shorter));
}

}  // namespace

void measure_caches(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const Levels levels(system);
    Readers readers(system, bench);
    measure_l1(levels, readers, out);
    measure_l2(l2_share(system), readers, out);
    measure_other_partition(levels, system.l2(system.endpoints().at(0)), readers, out);
}

namespace {

// Streams over memory that nobody has touched before, in the order of addresses over all workgroups.
class Streams {
public:
    Streams(const ResolvedSystem& system, ProbeBench& bench)
        : bench_(bench), gpu_(system.gpu(system.endpoints().at(0))),
          shape_(stream_shape(gpu_, system.hbm(system.endpoints().at(0)))),
          capacity_(system.hbm(system.endpoints().at(0)).capacity)
    {
    }

    enum class Kind { read, copy, write };

    // At least `bytes` (of copies: of each side); what it took, and how many bytes it were.
    Time run(Kind kind, std::uint64_t& bytes)
    {
        add(kind, bytes);
        return bench_.run_until_quiet();
    }

    // GB/s that the pins take of a kernel that writes `bytes`, over two intervals from the second one on. Stores are over when the
    // caches have them: the time of the kernel says little.
    double written(std::uint64_t bytes, Time interval)
    {
        add(Kind::write, bytes);
        std::vector<DramWork> work;
        const std::vector<ProbeBench::Count> found = bench_.run_counted({interval, 3 * interval}, [&] {
            work.push_back(worked());
            return count("writes");
        });
        const Time between = std::max<Time>(1, found[1].at - found[0].at);
        work_ = {work[1].lines - work[0].lines, work[1].opened - work[0].opened, between};
        return (found[1].value - found[0].value) * line_bytes * 1e3 / static_cast<double>(between);
    }

    // The work of the DRAM in the time that the last row counts.
    const DramWork& work() const { return work_; }

    // GB/s between a kernel of `bytes` and one of three times as many.
    double sustained(Kind kind, std::uint64_t bytes)
    {
        const std::uint64_t more = difference(kind, bytes);
        return rate(more, work_.time);
    }

    // The same of copies, both directions. Where the caches end with far more dirty lines than they began with, or far fewer, the payload
    // is not what the pins have carried, and they are the row: beyond these shares, or where the payload passes the bound.
    double copied(std::uint64_t bytes, double bound)
    {
        constexpr double least = 0.88;
        constexpr double most = 1.1;
        constexpr double beyond = 1.04;
        const double payload = 2 * sustained(Kind::copy, bytes);
        const double pins = work_.lines * line_bytes * 1e3 / static_cast<double>(work_.time);
        if (pins < least * payload || pins > most * payload) return pins;
        return payload > beyond * bound ? std::min(payload, pins) : payload;
    }

private:
    // B that the longer of two kernels has more; work() is what the DRAM did for them.
    std::uint64_t difference(Kind kind, std::uint64_t bytes)
    {
        bytes = std::max(bytes, bench_.units() * gpu_.workgroups_per_unit * shape_.wavefronts * instruction());
        std::uint64_t less = bytes;
        std::uint64_t more = 3 * bytes;
        const DramWork before = worked();
        const Time shorter = run(kind, less);
        const DramWork between = worked();
        const Time longer = run(kind, more);
        const DramWork after = worked();
        work_ = {after.lines + before.lines - 2 * between.lines, after.opened + before.opened - 2 * between.opened,
            longer - shorter};
        return more - less;
    }

    // So far.
    DramWork worked() { return {count("reads") + count("writes"), count("row_closed") + count("row_conflicts"), 0}; }

    // A statistic of the DRAM; 0: it is not one of ours and has no such.
    double count(const char* name)
    {
        for (const Statistic& one : bench_.gpu(0).hbm().statistics())
            if (one.name == name) return one.value;
        return 0;
    }

    void add(Kind kind, std::uint64_t& bytes)
    {
        const std::uint64_t workgroups = bench_.units() * gpu_.workgroups_per_unit;
        const std::uint64_t chunk = shape_.wavefronts * instruction();
        const std::uint64_t turns = std::max<std::uint64_t>(1, (bytes + workgroups * chunk / 2) / (workgroups * chunk));
        bytes = turns * workgroups * chunk;
        const std::uint64_t first = take(bytes);
        const std::uint64_t second = kind == Kind::copy ? take(bytes) : 0;
        for (std::uint64_t i = 0; i < workgroups; ++i) {
            Program program;
            for (std::uint64_t turn = 0; turn < turns; ++turn) {
                const std::uint64_t at = (turn * workgroups + i) * chunk;
                std::vector<std::uint64_t> sources;
                std::vector<std::uint64_t> destinations;
                if (kind != Kind::write) sources.push_back(first + at);
                if (kind == Kind::copy) destinations.push_back(second + at);
                if (kind == Kind::write) destinations.push_back(first + at);
                program.add_move(sources, destinations, chunk, ElementType::u8, ReduceOp::sum, 0, turn > 0);
            }
            bench_.add(0, std::move(program), shape_);
        }
    }

    std::uint64_t instruction() const { return gpu_.lanes * shape_.vector_bytes; }

    std::uint64_t take(std::uint64_t bytes)
    {
        const std::uint64_t at = next_;
        next_ += bytes;
        if (next_ > capacity_)
            throw InputError("weft", 0, "the DRAM rows need " + format_bytes(next_) + " of memory",
                "a larger hbm.capacity, or --only without bandwidth.dram_*");
        return at;
    }

    ProbeBench& bench_;
    const GpuSpec& gpu_;
    ProbeBench::Shape shape_;
    std::uint64_t capacity_;
    std::uint64_t next_ = 0;
    DramWork work_;
};

}  // namespace

void measure_dram(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const HbmSpec& hbm = system.hbm(system.endpoints().at(0));
    const std::uint64_t caches = Levels(system).all;
    Streams streams(system, bench);
    // One refresh interval for the shorter kernel, three for the longer one.
    const auto bytes =
        static_cast<std::uint64_t>(static_cast<double>(hbm.bandwidth) * static_cast<double>(hbm.t_refi) * 1e-12);
    const auto add = [&](const char* row, double value) {
        out.add(row, value);
        if (const std::string notice = scarce_banks(system, row, value, streams.work()); !notice.empty())
            out.notices.emplace_back(row, notice);
    };
    add("bandwidth.dram_read", streams.sustained(Streams::Kind::read, bytes));
    // Lines written reach the DRAM when others displace them: the caches are filled first, with dirty lines alone.
    std::uint64_t half = caches / 2;
    streams.run(Streams::Kind::copy, half);
    const std::vector<RateLimit> limits = limits_of(system, "bandwidth.dram_copy");
    add("bandwidth.dram_copy",
        hbm.ours() ? streams.copied(bytes / 2, limits.front().rate)
                   : 2 * streams.sustained(Streams::Kind::copy, bytes / 2));
    std::uint64_t all = 3 * caches;
    streams.run(Streams::Kind::write, all);
    // Caches write back in bursts, up to all of their lines in a part of the time that these take to be stored. So what the pins take in
    // two intervals is their rate only where they have write-backs all the time; else stores are as fast in the end.
    const bool by_pins = hbm.ours() && limits_of(system, "bandwidth.dram_write").front().parameter == "hbm.bandwidth";
    add("bandwidth.dram_write",
        by_pins ? streams.written(4 * bytes, hbm.t_refi) : streams.sustained(Streams::Kind::write, bytes));
}

}  // namespace weft
