// Bulk copies between the memory and the shared memory of an SM, as a thread hands them over.
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

__device__ inline std::uint32_t shared_address(const void* at)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

__device__ inline void expect(std::uint64_t* barrier, std::uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

__device__ inline void start_load(void* to, const void* from, std::uint32_t bytes, std::uint64_t* barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

__device__ inline void await_load(std::uint64_t* barrier, std::uint32_t phase)
{
    std::uint32_t done = 0;
    while (done == 0)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(phase)
                     : "memory");
}

// One thread hands over `batch` loads of `bytes` and waits for all of them, `count` times.
__global__ void loads(const char* from, std::uint32_t bytes, int batch, int count, std::uint32_t mask,
    std::uint64_t* cycles)
{
    extern __shared__ __align__(128) char data[];
    __shared__ std::uint64_t barrier;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    std::uint32_t piece = blockIdx.x * 37;
    const long long begin = clock64();
    long long handed_over = 0;
    for (int i = 0; i < count; ++i) {
        const long long before = clock64();
        expect(&barrier, bytes * static_cast<std::uint32_t>(batch));
        for (int k = 0; k < batch; ++k, ++piece)
            start_load(data + std::size_t(k) * bytes, from + std::size_t(piece & mask) * bytes, bytes, &barrier);
        handed_over += clock64() - before;
        await_load(&barrier, static_cast<std::uint32_t>(i) & 1U);
    }
    if (blockIdx.x == 0) {
        cycles[0] = static_cast<std::uint64_t>(clock64() - begin);
        cycles[1] = static_cast<std::uint64_t>(handed_over);
    }
}

// One thread stores `bytes` and waits until they are written, `count` times.
__global__ void stores(char* to, std::uint32_t bytes, int count, std::uint32_t mask, std::uint64_t* cycles)
{
    extern __shared__ __align__(128) char data[];
    const long long begin = clock64();
    for (int i = 0; i < count; ++i) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                         to + std::size_t(static_cast<std::uint32_t>(i) & mask) * bytes),
                     "r"(shared_address(data)), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    cycles[0] = static_cast<std::uint64_t>(clock64() - begin);
}

}  // namespace

void measure_bulk(const Device& device, Report& report)
{
    constexpr int shared = 200 << 10;
    constexpr std::size_t footprint = std::size_t{4} << 20;
    HW_CHECK(cudaFuncSetAttribute(loads, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    HW_CHECK(cudaFuncSetAttribute(stores, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    Buffer<char> memory(footprint * 2);
    Buffer<std::uint64_t> cycles(2);
    const double cycle = device.cycle_ns();
    const auto load_ns = [&](std::uint32_t bytes, int batch, int blocks, std::size_t which = 0) {
        std::vector<double> ns;
        const int count = 1024;
        for (int i = 0; i < 6; ++i) {
            loads<<<blocks, 1, shared>>>(memory.get(), bytes, batch, count,
                static_cast<std::uint32_t>(footprint / bytes - 1), cycles.get());
            finish();
            if (i > 0) ns.push_back(cycle * static_cast<double>(cycles.all()[which]) / count);
        }
        return median(ns);
    };
    Curve one{"bulk_load_latency", "B", "ns", {}, "one bulk load after the other into shared memory, from the L2"};
    for (std::uint32_t bytes = 16; bytes <= 128 << 10; bytes *= 2) one.points.emplace_back(bytes, load_ns(bytes, 1, 1));
    report.curve(std::move(one));
    Curve batch{"bulk_load_batch", "loads", "ns", {},
        "bulk loads of 2 KiB, that many at once by one thread, until all are there"};
    Curve issue{"bulk_load_issue", "loads", "ns", {}, "the part of it in which the thread hands them over"};
    Curve small{"bulk_load_batch_128", "loads", "ns", {}, "as bulk_load_batch with 128 B"};
    for (const int loads_at_once : {1, 2, 4, 8, 16, 32, 64}) {
        batch.points.emplace_back(loads_at_once, load_ns(2048, loads_at_once, 1));
        issue.points.emplace_back(loads_at_once, load_ns(2048, loads_at_once, 1, 1));
        small.points.emplace_back(loads_at_once, load_ns(128, loads_at_once, 1));
    }
    report.curve(std::move(batch));
    report.curve(std::move(issue));
    report.curve(std::move(small));
    Curve all{"bulk_load_all_sms", "B", "GB/s", {}, "every SM with batches of bulk loads of 4 KiB, from the L2; sum"};
    for (const int loads_at_once : {1, 2, 4, 8, 16, 32})
        all.points.emplace_back(4096.0 * loads_at_once,
            device.sms() * 4096.0 * loads_at_once / load_ns(4096, loads_at_once, device.sms()));
    report.curve(std::move(all));
    Curve out{"bulk_store_latency", "B", "ns", {},
        "one bulk store after the other, each waited for until it is written"};
    for (std::uint32_t bytes = 16; bytes <= 128 << 10; bytes *= 2) {
        std::vector<double> ns;
        for (int i = 0; i < 6; ++i) {
            stores<<<1, 1, shared>>>(memory.get(), bytes, 1024, static_cast<std::uint32_t>(footprint / bytes - 1),
                cycles.get());
            finish();
            if (i > 0) ns.push_back(cycle * static_cast<double>(cycles.all()[0]) / 1024);
        }
        out.points.emplace_back(bytes, median(ns));
    }
    report.curve(std::move(out));
}

}  // namespace hardware
