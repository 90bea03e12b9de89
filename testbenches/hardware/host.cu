// Words in the memory of the host: a load of the GPU, and turns between the GPU and a thread of the host.

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

__global__ void loads(volatile std::uint64_t* at, int count, std::uint64_t* out)
{
    std::uint64_t offset = 0;
    const long long begin = clock64();
    for (int i = 0; i < count; ++i) offset = at[offset];  // the word holds 0
    out[0] = static_cast<std::uint64_t>(clock64() - begin) + offset;
}

// The GPU writes to `to_host` and waits for `from_host`, both in the memory of the host.
__global__ void turns(volatile std::uint32_t* to_host, volatile std::uint32_t* from_host, std::uint32_t count,
    std::uint64_t* out)
{
    const long long begin = clock64();
    for (std::uint32_t i = 1; i <= count; ++i) {
        *to_host = i;
        __threadfence_system();
        while (*from_host != i) {
        }
    }
    out[0] = static_cast<std::uint64_t>(clock64() - begin);
}

}  // namespace

void measure_host(const Device& device, Report& report)
{
    const double cycle = device.cycle_ns();
    Buffer<std::uint64_t> out(1);
    std::uint64_t* host = nullptr;
    HW_CHECK(cudaHostAlloc(&host, 4096, cudaHostAllocMapped));
    for (int i = 0; i < 512; ++i) host[i] = 0;
    std::vector<double> ns;
    for (int i = 0; i < 9; ++i) {
        loads<<<1, 1>>>(host, 2000, out.get());
        finish();
        ns.push_back(cycle * static_cast<double>(out.all()[0]) / 2000);
    }
    report.row("host.load", "ns", ns, "dependent loads of one thread from pinned memory of the host");

    constexpr std::uint32_t count = 2000;
    ns.clear();
    for (int i = 0; i < 9; ++i) {
        auto* to_host = reinterpret_cast<std::uint32_t*>(host);
        auto* from_host = reinterpret_cast<std::uint32_t*>(host + 64);
        __atomic_store_n(to_host, 0U, __ATOMIC_SEQ_CST);
        __atomic_store_n(from_host, 0U, __ATOMIC_SEQ_CST);
        turns<<<1, 1>>>(to_host, from_host, count, out.get());
        HW_CHECK(cudaGetLastError());
        for (std::uint32_t turn = 1; turn <= count; ++turn) {
            while (__atomic_load_n(to_host, __ATOMIC_ACQUIRE) != turn) {
            }
            __atomic_store_n(from_host, turn, __ATOMIC_RELEASE);
        }
        finish();
        ns.push_back(cycle * static_cast<double>(out.all()[0]) / count);
    }
    report.row("host.turn", "ns", ns,
        "GPU to a polling thread of the host and back, words in the memory of the host; a round");
    HW_CHECK(cudaFreeHost(host));
}

}  // namespace hardware
