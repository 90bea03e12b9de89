// Loads from peers, signals to them, and the bandwidth between them.
#include <algorithm>
#include <numeric>
#include <optional>

#include "platform/applications/probe/parts.h"

namespace weft {

namespace {

constexpr std::uint64_t kib = 1024;

std::uint64_t flag(std::uint64_t number) { return MemoryImage::flag_base + number * 128; }

// One way of a ping-pong between the units 0 of GPUs 0 and 1; `put`: with a 64-byte store before each signal.
//
// A poller finds a signal when it next looks, and both pollers keep their rhythm: left alone they meet in one phase for good.
// So GPU 1 waits before each answer, a step longer every time, up to a period of the polls. The sums of 1, 2, ... steps meet every
// phase of a power of two of them once, at either end: signals are late by half a period in the mean.
class PingPong {
public:
    PingPong(ProbeBench& bench, Time spin_interval, std::uint64_t number, bool put)
        : bench_(bench), flag_(flag(number)), put_(put)
    {
        shape_.unit = 0;
        Program poll;
        poll.add_wait(global_address(0, flag_), 0);
        bench_.add(0, std::move(poll), shape_);
        period_ = bench_.run() + spin_interval;
    }

    // ns of one way: what as many turns more add to the time, less the steps.
    double one_way()
    {
        const Time shorter = run(steps);
        const Time longer = run(2 * steps);
        Time waited = 0;
        for (unsigned turn = 0; turn < steps; ++turn) waited += step(turn);
        return ns(longer - shorter - waited) / (2 * steps);
    }

private:
    static constexpr unsigned steps = 1024;

    Time step(unsigned turn) const { return period_ * (turn % steps) / steps; }

    Time run(unsigned turns)
    {
        Program ping;
        Program pong;
        for (unsigned turn = 0; turn < turns; ++turn) {
            ++value_;
            tell(ping, 0, 1);
            ping.add_wait(global_address(0, flag_), value_);
            pong.add_wait(global_address(1, flag_), value_);
            pong.add_compute(step(turn));
            tell(pong, 1, 0);
        }
        bench_.add(0, std::move(ping), shape_);
        bench_.add(1, std::move(pong), shape_);
        return bench_.run();
    }

    void tell(Program& program, std::uint32_t from, std::uint32_t to) const
    {
        if (put_)
            program.add_move({global_address(from, 0)}, {global_address(to, kib)}, line_bytes, ElementType::u8,
                ReduceOp::sum);
        program.add_signal(global_address(to, flag_));
    }

    ProbeBench& bench_;
    ProbeBench::Shape shape_;
    std::uint64_t flag_;
    bool put_;
    Time period_ = 0;
    std::uint64_t value_ = 0;
};

// Copies between GPUs at once, each by all units of the GPU that carries it out.
struct Copy {
    std::uint32_t from;
    std::uint32_t to;
    bool by_reader;
};

class Copies {
public:
    Copies(const ResolvedSystem& system, ProbeBench& bench)
        : bench_(bench), system_(system), shape_(full_shape(system.gpu(system.endpoints().at(0))))
    {
    }

    // GB/s of each copy: what twice `bytes` more for each add to the time. Nothing where the L2 has no room for a line of each unit.
    std::optional<double> rate_of(const std::vector<Copy>& copies, std::uint64_t bytes)
    {
        piece_ = std::min(3 * bytes, room(copies) / kib * kib);
        if (piece_ < bench_.units() * line_bytes) return std::nullopt;
        // Pieces that are small beside the cache lie far apart, others next to each other, so that all sets have their share.
        stride_ = piece_ == 3 * bytes ? std::max(piece_, std::uint64_t{16} << 20) : piece_;
        run(copies, piece_);  // from then on the data are in the L2
        const Time shorter = run(copies, bytes);
        const Time longer = run(copies, 3 * bytes);
        return rate(2 * bytes, longer - shorter);
    }

private:
    // Bytes of each copy such that half of the cache holds all that one GPU has of the copies. Where partitions have caches of their
    // own, what comes from others is in the memory-side cache.
    std::uint64_t room(const std::vector<Copy>& copies) const
    {
        const Levels levels(system_);
        const L2Spec& l2 = system_.l2(system_.endpoints().at(0));
        const bool apart = l2.separate() && levels.memory_side > 0;
        std::uint64_t out = ~std::uint64_t{0};
        for (std::uint32_t gpu = 0; gpu < bench_.size(); ++gpu) {
            std::uint64_t own = 0;
            std::uint64_t come = 0;
            for (const Copy& copy : copies) {
                if (copy.from == gpu) own = 1;
                if (copy.to == gpu) ++come;
            }
            if (own + come == 0) continue;
            const std::uint64_t near = own + (apart ? 0 : come);
            if (near > 0) out = std::min(out, levels.near / 2 / near);
            if (apart) out = std::min(out, levels.memory_side / 2 / (own + come));
        }
        return out;
    }

    Time run(const std::vector<Copy>& copies, std::uint64_t bytes)
    {
        for (std::size_t i = 0; i < copies.size(); ++i) {
            const Copy& copy = copies[i];
            const std::uint32_t mover = copy.by_reader ? copy.to : copy.from;
            // Units of the mover, shared by its copies.
            std::uint32_t share = 0;
            std::uint32_t number = 0;
            for (std::size_t k = 0; k < copies.size(); ++k) {
                if ((copies[k].by_reader ? copies[k].to : copies[k].from) != mover) continue;
                if (k == i) number = share;
                ++share;
            }
            const std::uint32_t units = bench_.units(mover);
            const std::uint32_t own = std::max(1U, units / share);
            for (std::uint32_t unit = 0; unit < own; ++unit) {
                Program program;
                for (std::uint64_t done = 0; done < bytes; done += piece_) {
                    const std::uint64_t now = std::min(piece_, bytes - done);
                    const std::uint64_t begin = now / line_bytes * unit / own * line_bytes;
                    const std::uint64_t end = now / line_bytes * (unit + 1) / own * line_bytes;
                    if (begin == end) continue;
                    program.add_move({global_address(copy.from, begin)},
                        {global_address(copy.to, destination(copy.from) + begin)}, end - begin, ElementType::u8,
                        ReduceOp::sum, 0, done > 0);
                }
                ProbeBench::Shape shape = shape_;
                shape.unit = (number * own + unit) % units;
                bench_.add(mover, std::move(program), shape);
            }
        }
        return bench_.run();
    }

    std::uint64_t destination(std::uint32_t from) const { return (std::uint64_t{from} + 1) * stride_; }

    ProbeBench& bench_;
    const ResolvedSystem& system_;
    ProbeBench::Shape shape_;
    std::uint64_t piece_ = 0;   // B that a copy moves over and over
    std::uint64_t stride_ = 0;  // B between the pieces of a GPU
};

ProbeMatrix matrix(const std::string& name, const std::string& unit, std::uint32_t size)
{
    return {name, unit, std::vector<std::vector<double>>(size, std::vector<double>(size, 0))};
}

double mean_of(const ProbeMatrix& matrix)
{
    double sum = 0;
    for (const auto& row : matrix.values) sum = std::accumulate(row.begin(), row.end(), sum);
    const auto size = static_cast<double>(matrix.values.size());
    return sum / (size * (size - 1));
}

}  // namespace

void measure_peer_latency(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const std::uint32_t size = bench.size();
    if (size < 2) return;
    // 2 MiB, of which every 8 KiB and a line, so that they take all of several equal paths.
    std::vector<std::uint64_t> lines;
    for (std::uint64_t at = 0; at < 2048 * kib; at += 8 * kib + line_bytes) lines.push_back(at);
    ProbeMatrix loads = matrix("dependent load", "ns", size);
    for (std::uint32_t from = 0; from < size; ++from)
        for (std::uint32_t home = 0; home < size; ++home)
            if (from != home) loads.values[from][home] = chase(bench, from, home, lines, Scope::system);
    out.add("latency.peer", mean_of(loads));
    out.matrices.push_back(std::move(loads));
    const Time spin_interval = system.gpu(system.endpoints().at(0)).spin_interval;
    out.add("latency.signal", PingPong(bench, spin_interval, 0, false).one_way());
    out.add("latency.put_signal", PingPong(bench, spin_interval, 1, true).one_way());
}

void measure_peer_bandwidth(const ResolvedSystem& system, ProbeBench& bench, ProbeResult& out)
{
    const std::uint32_t size = bench.size();
    if (size < 2) return;
    Copies copies(system, bench);
    // Bytes of each copy in the shorter run, where a GPU sends to `copies` others.
    const auto bytes_of = [&system](const std::string& row, std::uint64_t usual, std::uint64_t copies) {
        return std::max(usual, (peer_bytes(system, row) / copies + kib - 1) / kib * kib);
    };
    for (const bool by_reader : {true, false}) {
        const std::string row = by_reader ? "bandwidth.peer_read" : "bandwidth.peer_write";
        const std::uint64_t bytes = bytes_of(row, 256 * kib, 1);
        ProbeMatrix rates =
            matrix(by_reader ? "read by units of the row" : "written by units of the row", "GB/s", size);
        bool whole = true;
        for (std::uint32_t mover = 0; mover < size; ++mover)
            for (std::uint32_t other = 0; other < size; ++other) {
                if (mover == other) continue;
                const std::optional<double> found =
                    copies.rate_of({by_reader ? Copy{other, mover, true} : Copy{mover, other, false}}, bytes);
                whole = whole && found;
                rates.values[mover][other] = found.value_or(0);
            }
        if (!whole) continue;
        out.add(row, mean_of(rates));
        out.matrices.push_back(std::move(rates));
    }
    std::vector<Copy> to_all;
    std::vector<Copy> gathered;
    std::vector<Copy> all;
    for (std::uint32_t other = 1; other < size; ++other) {
        to_all.push_back({0, other, false});
        gathered.push_back({other, 0, false});
    }
    for (std::uint32_t from = 0; from < size; ++from)
        for (std::uint32_t to = 0; to < size; ++to)
            if (from != to) all.push_back({from, to, false});
    const auto add = [&](const std::string& row, const std::vector<Copy>& what, std::uint64_t usual,
                         std::uint64_t of_gpu) {
        if (const std::optional<double> found = copies.rate_of(what, bytes_of(row, usual, of_gpu)))
            out.add(row, static_cast<double>(of_gpu) * *found);
    };
    add("bandwidth.peer_both", {{0, 1, false}, {1, 0, false}}, 512 * kib, 1);
    add("bandwidth.peer_all", to_all, 128 * kib, size - 1);
    add("bandwidth.peer_incast", gathered, 128 * kib, size - 1);
    // In few copies each is longer: what is short has much of its beginning and end in it.
    add("bandwidth.all_to_all", all, std::max<std::uint64_t>(64, (448 + size - 2) / (size - 1)) * kib, size - 1);
}

}  // namespace weft
