// What few SMs do: their bandwidth, and how much one may have in flight.
#include <algorithm>
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

enum class Kind { read, write, copy, reduce };

__device__ inline std::uint32_t add_float(std::uint32_t a, std::uint32_t b)
{
    return __float_as_uint(__uint_as_float(a) + __uint_as_float(b));
}
__device__ inline uint4 add_floats(uint4 a, uint4 b)
{
    return make_uint4(add_float(a.x, b.x), add_float(a.y, b.y), add_float(a.z, b.z), add_float(a.w, b.w));
}

// Member b of all goes over pieces b, b + count, ... of `from` and `to`, each of blockDim.x x unroll x 16 B, `times`
// over the first `pieces`.
template <Kind kind, int unroll>
__global__ void __launch_bounds__(1024) work(__grid_constant__ const Members members, const uint4* from, uint4* to,
    std::uint64_t pieces, int times, uint4* sink, std::uint32_t* claims)
{
    const std::int16_t rank = members.rank[sm_id()];
    if (rank < 0 || !claim(claims, sm_id())) return;
    const std::uint32_t step = blockDim.x;
    std::uint32_t sum = 0;
    for (int time = 0; time < times; ++time)
        for (std::uint64_t piece = static_cast<std::uint64_t>(rank); piece < pieces; piece += members.count) {
            const std::size_t at = piece * step * unroll + threadIdx.x;
            uint4 v[unroll];
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                if (kind == Kind::write)
                    v[u] = make_uint4(static_cast<std::uint32_t>(at), u, time, 7);
                else
                    v[u] = load_l2_16(from + at + u * step);
            }
            if (kind == Kind::reduce) {
                uint4 w[unroll];
#pragma unroll
                for (int u = 0; u < unroll; ++u) w[u] = load_l2_16(to + at + u * step);
#pragma unroll
                for (int u = 0; u < unroll; ++u) v[u] = add_floats(v[u], w[u]);
            }
#pragma unroll
            for (int u = 0; u < unroll; ++u) {
                if (kind == Kind::read)
                    sum += v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
                else
                    to[at + u * step] = v[u];
            }
        }
    if (sum == 0x12345678U) sink[threadIdx.x].x = sum;
}

class Work {
public:
    static constexpr std::size_t mib = std::size_t{1} << 20;

    explicit Work(int sms)
        : sms_(sms), from_(2048 * mib / sizeof(uint4)), to_(2048 * mib / sizeof(uint4)), sink_(1024), claims_(sms)
    {
        // All of the shared memory of an SM, so that each has one block.
        hold(work<Kind::read, 1>);
        hold(work<Kind::read, 2>);
        hold(work<Kind::read, 4>);
        hold(work<Kind::read, 8>);
        hold(work<Kind::write, 4>);
        hold(work<Kind::copy, 4>);
        hold(work<Kind::reduce, 4>);
    }

    // The first SMs.
    Members first(int count) const
    {
        std::vector<int> sms;
        for (int sm = 0; sm < count; ++sm) sms.push_back(sm);
        return members_of(sms);
    }

    // GB/s of some SMs over a footprint, by the difference of a shorter and a longer run.
    double rate(Kind kind, int unroll, const Members& members, int threads, std::size_t footprint, int times, int more)
    {
        const std::uint64_t piece = std::uint64_t(threads) * static_cast<std::uint64_t>(unroll) * sizeof(uint4);
        // As many for each SM: the slowest one ends the kernel.
        const std::uint64_t pieces = std::max<std::uint64_t>(1, footprint / piece / members.count) * members.count;
        std::vector<double> rates;
        run(kind, unroll, members, threads, pieces, times);
        for (int i = 0; i < 5; ++i) {
            const double less = run(kind, unroll, members, threads, pieces, times);
            const double longer = run(kind, unroll, members, threads, pieces, times + more);
            rates.push_back(static_cast<double>(more) * static_cast<double>(pieces * piece) / (longer - less));
        }
        return median(rates);
    }

private:
    static constexpr int held = 200 << 10;

    template <class Kernel>
    static void hold(Kernel kernel)
    {
        HW_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, held));
    }

    double run(Kind kind, int unroll, const Members& members, int threads, std::uint64_t pieces, int times)
    {
        claims_.clear();
        const double took = timed_ns([&] {
            const auto go = [&](auto kernel) {
                kernel<<<4 * sms_, threads, held>>>(members, from_.get(), to_.get(), pieces, times, sink_.get(),
                    claims_.get());
            };
            if (kind == Kind::write) return go(work<Kind::write, 4>);
            if (kind == Kind::copy) return go(work<Kind::copy, 4>);
            if (kind == Kind::reduce) return go(work<Kind::reduce, 4>);
            if (unroll == 1) return go(work<Kind::read, 1>);
            if (unroll == 2) return go(work<Kind::read, 2>);
            if (unroll == 4) return go(work<Kind::read, 4>);
            return go(work<Kind::read, 8>);
        });
        expect_claimed(claims_, members.count);
        return took;
    }

    int sms_;
    Buffer<uint4> from_;
    Buffer<uint4> to_;
    Buffer<uint4> sink_;
    Buffer<std::uint32_t> claims_;
};

}  // namespace

void measure_units(const Device& device, Report& report)
{
    Work work(device.sms());
    constexpr std::size_t l2 = 8 * Work::mib;
    constexpr std::size_t dram = 2048 * Work::mib;
    struct Case {
        const char* name;
        Kind kind;
        std::size_t footprint;
        const char* how;
    };
    constexpr Case cases[] = {
        {"units_read_l2", Kind::read, l2,
            "loads of 16 B past the L1 over 8 MiB, one block of 1024 threads an SM, unroll 4"},
        {"units_write_l2", Kind::write, l2, "stores of 16 B over 8 MiB"},
        {"units_copy_l2", Kind::copy, l2, "copies of 8 MiB to 8 MiB; payload, one direction"},
        {"units_reduce_l2", Kind::reduce, l2, "sums of floats: 8 MiB added to 8 MiB; payload of one side"},
        {"units_read_dram", Kind::read, dram, "loads over 2 GiB"},
        {"units_copy_dram", Kind::copy, dram, "copies of 2 GiB to 2 GiB; payload, one direction"},
    };
    const auto over = [&](const Case& one, const Members& members, int unroll = 4, int threads = 1024) {
        if (one.footprint == l2)
            // Half a millisecond at 60 GB/s an SM.
            return work.rate(one.kind, unroll, members, threads, l2, 4,
                std::max(16, static_cast<int>(30e6 * members.count / static_cast<double>(l2))));
        // Of the DRAM a share that goes with the SMs, so that a run stays short.
        return work.rate(one.kind, unroll, members, threads,
            std::min(dram, std::max<std::size_t>(members.count * 64 * Work::mib, 256 * Work::mib)), 1, 1);
    };
    for (const Case& one : cases) {
        Curve curve{one.name, "SMs", "GB/s", {}, one.how};
        for (const int sms : {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, device.sms()})
            curve.points.emplace_back(sms, over(one, work.first(sms)));
        report.curve(std::move(curve));
    }
    // SMs are numbered round the clusters in pairs: 0 and 1 are a pair, 0, 1, 16, 17, 32 ... share a cluster of eight.
    std::vector<int> cluster;
    std::vector<int> spread;
    for (int sm = 0; sm < 96; ++sm)
        if (sm / 2 % 8 == 0) cluster.push_back(sm);
    for (int i = 0; i < static_cast<int>(cluster.size()); ++i)
        spread.push_back(i * 2);  // one of each pair, all clusters
    const auto set = [&](const std::string& name, const std::vector<int>& sms, const char* how) {
        for (const Case& one : {cases[0], cases[1], cases[4]})
            report.row("set." + name + std::string(one.name + 5), "GB/s", {over(one, members_of(sms))}, how);
    };
    set("one", {0}, "SM 0");
    set("pair", {0, 1}, "SMs 0 and 1");
    set("two", {0, 2}, "SMs 0 and 2");
    set("two_of_cluster", {0, 16}, "SMs 0 and 16");
    set("cluster", cluster, "SMs of one cluster, both of each pair: 12");
    set("spread", spread, "12 SMs of 8 clusters");

    // Threads x unroll x 16 B in flight.
    const auto little = [&](const char* name, const Case& one, int sms, const char* how) {
        Curve curve{name, "B", "GB/s", {}, how};
        for (const int unroll : {1, 2, 4, 8})
            for (int threads = 32; threads <= 1024; threads *= 2) {
                if (unroll > 1 && threads != 1024) continue;
                curve.points.emplace_back(1.0 * threads * unroll * 16 * sms,
                    over(one, work.first(sms), unroll, threads));
            }
        for (int threads = 640; threads < 1024; threads += 128)
            curve.points.emplace_back(1.0 * threads * 2 * 16 * sms, over(one, work.first(sms), 2, threads));
        std::sort(curve.points.begin(), curve.points.end());
        report.curve(std::move(curve));
    };
    little("little_one_sm_l2", cases[0], 1, "bandwidth of one SM over the bytes its loads have in flight, L2");
    little("little_one_sm_dram", cases[4], 1, "the same, DRAM");
    little("little_all_dram", cases[4], device.sms(), "bandwidth of all SMs over the bytes in flight, DRAM");
    little("little_all_l2", cases[0], device.sms(), "the same, L2");
}

}  // namespace hardware
