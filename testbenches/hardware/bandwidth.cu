// Bandwidth of the caches and of the DRAM with all SMs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

constexpr int threads = 1024;

// Every block reads its own piece of `piece` times 16 B, `times` over.
template <bool through_l1, int unroll>
__global__ void __launch_bounds__(1024) read_piece(const uint4* memory, std::uint32_t piece, int times, uint4* sink)
{
    const uint4* own = memory + std::size_t{blockIdx.x} * piece;
    std::uint32_t sum = 0;
    for (int time = 0; time < times; ++time) {
#pragma unroll unroll
        for (std::uint32_t i = threadIdx.x; i < piece; i += threads) {
            uint4 v;
            if (through_l1)
                asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                             : "l"(own + i));
            else
                asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                             : "l"(own + i));
            sum ^= v.x;
        }
    }
    if (sum == 0x12345678U) sink[threadIdx.x].x = sum;
}

template <int unroll>
__global__ void __launch_bounds__(1024) stream_read(const uint4* from, std::size_t count, uint4* sink)
{
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    std::uint32_t sum = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride * unroll) {
        uint4 v[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) v[u] = load_l2_16(from + i + u * stride);
#pragma unroll
        for (int u = 0; u < unroll; ++u) sum += v[u].x ^ v[u].y ^ v[u].z ^ v[u].w;
    }
    if (sum == 0x12345678U) sink[threadIdx.x].x = sum;
}

template <int unroll>
__global__ void __launch_bounds__(1024) stream_copy(const uint4* from, uint4* to, std::size_t count)
{
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride * unroll) {
        uint4 v[unroll];
#pragma unroll
        for (int u = 0; u < unroll; ++u) v[u] = load_l2_16(from + i + u * stride);
#pragma unroll
        for (int u = 0; u < unroll; ++u) to[i + u * stride] = v[u];
    }
}

__global__ void __launch_bounds__(1024) stream_write(uint4* to, std::size_t count, std::uint32_t value)
{
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < count; i += stride)
        to[i] = make_uint4(value, value + 1, value + 2, static_cast<std::uint32_t>(i));
}

// GB/s of the difference of two runs, so that beginning and end cancel out.
std::vector<double> steady(double bytes_more, const std::function<double()>& shorter,
    const std::function<double()>& longer, int repeats = 9)
{
    std::vector<double> rates;
    shorter();
    longer();
    for (int i = 0; i < repeats; ++i) {
        const double less = shorter();
        rates.push_back(bytes_more / (longer() - less));
    }
    return rates;
}

void caches(const Device& device, Report& report)
{
    constexpr std::size_t mib = std::size_t{1} << 20;
    Buffer<uint4> memory(256 * mib / sizeof(uint4));
    Buffer<uint4> sink(threads);
    const auto rate_of = [&](bool through_l1, int unroll, int blocks_per_sm, std::size_t piece_bytes, int times) {
        const auto piece = static_cast<std::uint32_t>(piece_bytes / sizeof(uint4));
        const int blocks = blocks_per_sm * device.sms();
        const auto go = [&](auto kernel, int rounds) {
            return timed_ns([&] { kernel<<<blocks, threads>>>(memory.get(), piece, rounds, sink.get()); });
        };
        const auto run = [&](int rounds) {
            if (through_l1) return unroll == 8 ? go(read_piece<true, 8>, rounds) : go(read_piece<true, 4>, rounds);
            if (unroll == 8) return go(read_piece<false, 8>, rounds);
            return unroll == 4 ? go(read_piece<false, 4>, rounds) : go(read_piece<false, 2>, rounds);
        };
        return steady(
            2.0 * times * blocks * static_cast<double>(piece_bytes), [&] { return run(times); },
            [&] { return run(3 * times); });
    };
    const auto best = [&](bool through_l1, std::size_t bytes_per_sm, int times) {
        std::vector<double> rates;
        for (const int per_sm : {1, 2})
            for (const int unroll : {2, 4, 8}) {
                const auto these =
                    rate_of(through_l1, unroll, per_sm, bytes_per_sm / static_cast<std::size_t>(per_sm), times);
                if (rates.empty() || median(these) > median(rates)) rates = these;
            }
        return rates;
    };
    report.row("bandwidth.l1", "GB/s", best(true, 128 << 10, 2000),
        "each SM reads its own 128 KiB, through the L1, best of 6 shapes");
    report.row("bandwidth.l2", "GB/s", best(false, 128 << 10, 1000),
        "each SM reads its own 128 KiB past the L1, 17 MB in all, best of 6 shapes");
    Curve curve{"bandwidth_over_footprint", "B", "GB/s", {}, "each SM its own piece, past the L1, best of 6 shapes"};
    for (std::size_t piece = 32 << 10; piece <= 1024 << 10; piece = piece * 5 / 4 / 32768 * 32768 + 32768) {
        const int times = static_cast<int>(std::max<std::size_t>(8, (32 * mib) / piece));
        const double bytes = device.sms() * static_cast<double>(piece);
        curve.points.emplace_back(bytes, median(best(false, piece, times)));
    }
    report.curve(std::move(curve));
}

void dram(const Device& device, Report& report)
{
    constexpr std::size_t bytes = std::size_t{4} << 30;
    constexpr std::size_t count = bytes / sizeof(uint4);
    Buffer<uint4> from(count);
    Buffer<uint4> to(count);
    Buffer<uint4> sink(threads);
    const double all = static_cast<double>(bytes);
    // The best of a few shapes: a benchmark reports what the memory can do, not what a shape loses.
    const auto best = [&](const std::function<double(int, int)>& run, double moved) {
        std::vector<double> rates;
        for (const int per_sm : {1, 2, 4, 8, 16})
            for (const int unroll : {1, 2, 4}) {
                run(per_sm, unroll);
                std::vector<double> these;
                for (int i = 0; i < 7; ++i) these.push_back(moved / run(per_sm, unroll));
                if (rates.empty() || median(these) > median(rates)) rates = these;
            }
        return rates;
    };
    const auto read = [&](int per_sm, int unroll) {
        const int blocks = per_sm * device.sms();
        const std::size_t whole = count / (std::size_t(blocks) * threads * 4) * (std::size_t(blocks) * threads * 4);
        const double ns = timed_ns([&] {
            if (unroll == 1) stream_read<1><<<blocks, threads>>>(from.get(), whole, sink.get());
            if (unroll == 2) stream_read<2><<<blocks, threads>>>(from.get(), whole, sink.get());
            if (unroll == 4) stream_read<4><<<blocks, threads>>>(from.get(), whole, sink.get());
        });
        return ns * static_cast<double>(count) / static_cast<double>(whole);
    };
    const auto copy = [&](int per_sm, int unroll) {
        const int blocks = per_sm * device.sms();
        const std::size_t whole = count / (std::size_t(blocks) * threads * 4) * (std::size_t(blocks) * threads * 4);
        const double ns = timed_ns([&] {
            if (unroll == 1) stream_copy<1><<<blocks, threads>>>(from.get(), to.get(), whole);
            if (unroll == 2) stream_copy<2><<<blocks, threads>>>(from.get(), to.get(), whole);
            if (unroll == 4) stream_copy<4><<<blocks, threads>>>(from.get(), to.get(), whole);
        });
        return ns * static_cast<double>(count) / static_cast<double>(whole);
    };
    const auto write = [&](int per_sm, int) {
        return timed_ns([&] { stream_write<<<per_sm * device.sms(), threads>>>(to.get(), count, 7U); });
    };
    report.row("bandwidth.dram_read", "GB/s", best(read, all), "4 GiB, best of 15 shapes, loads of 16 B past the L1");
    report.row("bandwidth.dram_copy", "GB/s", best(copy, 2 * all),
        "4 GiB to 4 GiB, both directions, best of 15 shapes");
    report.row("bandwidth.dram_write", "GB/s", best(write, all), "4 GiB, best of 5 shapes, no two words alike");
}

}  // namespace

void measure_bandwidth(const Device& device, Report& report)
{
    caches(device, report);
    dram(device, report);
}

}  // namespace hardware
