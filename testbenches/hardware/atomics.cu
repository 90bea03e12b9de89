// Additions to contended words, and what a fence costs behind stores.
#include <algorithm>
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

// Each thread adds to the word at its block's place, `count` times; with `result` it waits for every answer.
template <bool result>
__global__ void add(unsigned long long* words, std::uint64_t block_stride, std::uint64_t thread_stride, int count,
    unsigned long long* sink)
{
    unsigned long long* at = words + blockIdx.x * block_stride + threadIdx.x * thread_stride;
    unsigned long long sum = 0;
    for (int i = 0; i < count; ++i) {
        if (result)
            sum += atomicAdd(at, 1ULL + (sum >> 60));
        else
            asm volatile("red.global.add.u64 [%0], 1;" ::"l"(at) : "memory");
    }
    if (sum == 1) sink[0] = sum;
}

enum class Fence { none, device, system, acquire_release };

// Cycles of the fence alone behind `stores` stores of 16 B a thread, by block 0, first thread.
template <Fence fence>
__global__ void fence_behind(uint4* to, int stores, int rounds, std::uint64_t* cycles)
{
    std::uint64_t total = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < stores; ++i)
            to[(std::size_t{blockIdx.x} * stores + i) * blockDim.x + threadIdx.x] = make_uint4(round, i, 1, 2);
        const long long begin = clock64();
        if (fence == Fence::device) __threadfence();
        if (fence == Fence::system) __threadfence_system();
        if (fence == Fence::acquire_release) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        total += static_cast<std::uint64_t>(clock64() - begin);
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = total / static_cast<std::uint64_t>(rounds);
}

}  // namespace

void measure_atomics(const Device& device, Report& report)
{
    Buffer<unsigned long long> words(1 << 20);
    Buffer<unsigned long long> sink(1);
    const auto each = [&](const char* name, bool result, int blocks, int threads, std::uint64_t block_stride,
                          std::uint64_t thread_stride, const char* how) {
        std::vector<double> ns;
        const auto run = [&](int count) {
            return timed_ns([&] {
                if (result)
                    add<true><<<blocks, threads>>>(words.get(), block_stride, thread_stride, count, sink.get());
                else
                    add<false><<<blocks, threads>>>(words.get(), block_stride, thread_stride, count, sink.get());
            });
        };
        run(100);
        for (int i = 0; i < 9; ++i) {
            const double less = run(2000);
            ns.push_back((run(6000) - less) / (4000.0 * blocks * threads));
        }
        report.row(name, "ns", ns, how);
    };
    const int sms = device.sms();
    each("atomic.one_thread", true, 1, 1, 0, 0, "one thread adds to one word and waits for each answer; per addition");
    each("atomic.same_word", true, sms, 1, 0, 0, "a thread on every SM adds to one word; per addition of all");
    each("atomic.same_word_no_answer", false, sms, 1, 0, 0, "the same without an answer");
    each("atomic.same_line", true, 16, 1, 1, 0, "16 SMs, each a word of its own in one line; per addition of all");
    each("atomic.own_line", true, sms, 1, 16, 0, "a thread on every SM, a line each; per addition of all");
    each("atomic.warp_line", false, sms, 32, 32, 1, "a warp on every SM, words side by side; per addition of all");

    Buffer<uint4> memory(std::size_t{1} << 24);
    Buffer<std::uint64_t> cycles(1);
    const double cycle = device.cycle_ns();
    const auto fence = [&](const std::string& name, auto kernel, int blocks, int threads, int stores, const char* how) {
        std::vector<double> ns;
        for (int i = 0; i < 9; ++i) {
            kernel<<<blocks, threads>>>(memory.get(), stores, 200, cycles.get());
            finish();
            ns.push_back(cycle * static_cast<double>(cycles.all()[0]));
        }
        report.row(name, "ns", ns, how);
    };
    fence("fence.empty", fence_behind<Fence::none>, 1, 32, 1, "reading the clock twice, without a fence");
    fence("fence.device", fence_behind<Fence::device>, 1, 32, 0, "a warp, nothing stored before");
    fence("fence.acq_rel", fence_behind<Fence::acquire_release>, 1, 32, 0,
        "a warp, nothing stored before, fence.acq_rel.gpu");
    fence("fence.device_1", fence_behind<Fence::device>, 1, 32, 1, "a warp, behind 512 B of stores");
    fence("fence.device_16", fence_behind<Fence::device>, 1, 32, 16, "a warp, behind 8 KiB of stores");
    fence("fence.device_block", fence_behind<Fence::device>, 1, 512, 4, "16 warps, behind 32 KiB of stores");
    fence("fence.device_all", fence_behind<Fence::device>, sms, 512, 4, "16 warps on each SM, behind 32 KiB each");
    fence("fence.system", fence_behind<Fence::system>, 1, 32, 0, "a warp, nothing stored before, system scope");
    fence("fence.system_1", fence_behind<Fence::system>, 1, 32, 1, "a warp, behind 512 B of stores, system scope");
    fence("fence.system_16", fence_behind<Fence::system>, 1, 32, 16, "a warp, behind 8 KiB, system scope");
    fence("fence.system_block", fence_behind<Fence::system>, 1, 512, 4, "16 warps, behind 32 KiB, system scope");
    fence("fence.system_all", fence_behind<Fence::system>, sms, 512, 4,
        "16 warps on each SM, behind 32 KiB each, system scope");
}

}  // namespace hardware
