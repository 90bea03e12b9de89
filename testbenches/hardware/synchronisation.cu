// Words and flags between two SMs, and barriers over all of them.
#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

enum class Turn { swap, relaxed, release, system };

__device__ inline void store_flag(std::uint32_t* at, std::uint32_t value, Turn turn)
{
    if (turn == Turn::relaxed) asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    if (turn == Turn::release) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    if (turn == Turn::system) asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

__device__ inline std::uint32_t load_flag(const std::uint32_t* at, Turn turn)
{
    std::uint32_t value = 0;
    if (turn == Turn::relaxed) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    if (turn == Turn::release) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    if (turn == Turn::system) asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

// SMs `first` and `second` take turns: by compare-and-swap on one word, or by a flag each, 128 B apart.
template <Turn turn>
__global__ void take_turns(std::uint32_t* words, std::uint32_t* claims, std::uint32_t first, std::uint32_t second,
    std::uint32_t turns, std::uint64_t* out)
{
    const bool is_first = claim(claims, first);
    const bool is_second = !is_first && claim(claims, second);
    if (!is_first && !is_second) return;
    const std::uint32_t me = is_first ? 0 : 1;
    std::uint32_t* own = words + 32 * me;
    std::uint32_t* other = words + 32 * (1 - me);
    const long long begin = clock64();
    for (std::uint32_t i = 0; i < turns; ++i) {
        if (turn == Turn::swap) {
            const std::uint32_t expected = 2 * i + me;
            while (atomicCAS(words, expected, expected + 1) != expected) {
            }
        } else if (is_first) {
            store_flag(other, i + 1, turn);
            while (load_flag(own, turn) != i + 1) {
            }
        } else {
            while (load_flag(own, turn) != i + 1) {
            }
            store_flag(other, i + 1, turn);
        }
    }
    if (is_first) out[0] = static_cast<std::uint64_t>(clock64() - begin);
}

template <bool ordered>
__device__ inline void signal(std::uint32_t* flag)
{
    if (ordered)
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
    else
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
}

template <bool ordered>
__device__ inline void await(const std::uint32_t* flag, std::uint32_t value)
{
    while (load_flag(flag, ordered ? Turn::release : Turn::relaxed) < value) {
    }
}

template <bool ordered>
__global__ void barrier_counter(std::uint32_t* counter, std::uint32_t barriers, std::uint64_t* out)
{
    const long long begin = clock64();
    for (std::uint32_t turn = 1; turn <= barriers; ++turn) {
        signal<ordered>(counter);
        await<ordered>(counter, turn * gridDim.x);
    }
    if (blockIdx.x == 0) out[0] = static_cast<std::uint64_t>(clock64() - begin);
}

// The tree of `weft probe`: members of a group tell their first, firsts tell block 0, and the news comes back.
template <bool ordered>
__global__ void barrier_flags(std::uint32_t* flags, std::uint32_t group, std::uint32_t barriers, std::uint64_t* out)
{
    const std::uint32_t units = gridDim.x;
    const std::uint32_t unit = blockIdx.x;
    const std::uint32_t groups = (units + group - 1) / group;
    const std::uint32_t own = unit / group;
    const std::uint32_t members = min(group, units - own * group);
    std::uint32_t* arrived = flags + 32 * (1 + own);
    std::uint32_t* root = flags + 32 * (1 + groups);
    const auto left = [&](std::uint32_t member) { return flags + 32 * (2 + groups + member); };
    const long long begin = clock64();
    for (std::uint32_t turn = 1; turn <= barriers; ++turn) {
        if (unit % group != 0) {
            signal<ordered>(arrived);
            await<ordered>(left(unit), turn);
            continue;
        }
        await<ordered>(arrived, turn * (members - 1));
        if (unit != 0) {
            signal<ordered>(root);
            await<ordered>(left(unit), turn);
        } else {
            await<ordered>(root, turn * (groups - 1));
            for (std::uint32_t other = group; other < units; other += group) signal<ordered>(left(other));
        }
        for (std::uint32_t member = unit + 1; member < unit + members; ++member) signal<ordered>(left(member));
    }
    if (unit == 0) out[0] = static_cast<std::uint64_t>(clock64() - begin);
}

__global__ void barrier_grid(std::uint32_t barriers, std::uint64_t* out)
{
    auto grid = cooperative_groups::this_grid();
    const long long begin = clock64();
    for (std::uint32_t turn = 0; turn < barriers; ++turn) grid.sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = static_cast<std::uint64_t>(clock64() - begin);
}

void turns(const Device& device, Report& report)
{
    constexpr std::uint32_t count = 2000;
    const double cycle = device.cycle_ns();
    Buffer<std::uint32_t> words(1 << 16);
    Buffer<std::uint32_t> claims(device.sms());
    Buffer<std::uint64_t> out(1);
    const auto pair_ns = [&](auto kernel, std::size_t word, int second) {
        words.clear();
        claims.clear();
        kernel<<<4 * device.sms(), 1>>>(words.get() + word, claims.get(), 0U, static_cast<std::uint32_t>(second), count,
            out.get());
        finish();
        return cycle * static_cast<double>(out.all()[0]) / (2.0 * count);
    };
    const auto over_pairs = [&](const char* name, auto kernel, const char* how) {
        std::vector<double> ns;
        std::vector<double> smallest;  // of a pair, over the words
        for (int second = 1; second < device.sms(); second += 5) {
            for (std::size_t word = 0; word < 8; ++word) ns.push_back(pair_ns(kernel, word * 4096, second));
            smallest.push_back(quantile(std::vector<double>(ns.end() - 8, ns.end()), 0));
        }
        report.row(name, "ns", ns, how);
        report.row(std::string(name) + ".best_word", "ns", smallest, "the same, of each pair the word that is nearest");
    };
    over_pairs("time.handoff", take_turns<Turn::swap>,
        "two SMs turn one word up in turns by compare-and-swap; from success to success; 27 pairs, 8 words");
    over_pairs("signal.relaxed", take_turns<Turn::relaxed>, "a flag to another SM, relaxed; half of a round");
    over_pairs("signal.device", take_turns<Turn::release>, "the same, release and acquire of the GPU; half of a round");
    over_pairs("signal.system", take_turns<Turn::system>,
        "the same, release and acquire of the system; half of a round");
}

}  // namespace

void measure_synchronisation(const Device& device, Report& report)
{
    turns(device, report);
    constexpr std::uint32_t barriers = 1000;
    const double cycle = device.cycle_ns();
    const int sms = device.sms();
    Buffer<std::uint32_t> flags(1 << 16);
    Buffer<std::uint64_t> out(1);
    // Cooperative launches: all blocks run at once, one on each SM.
    const auto row = [&](const char* name, const void* kernel, int threads, void** arguments, const char* how) {
        std::vector<double> ns;
        for (int i = 0; i < 9; ++i) {
            flags.clear();
            HW_CHECK(cudaLaunchCooperativeKernel(kernel, dim3(sms), dim3(threads), arguments, 0, nullptr));
            finish();
            ns.push_back(cycle * static_cast<double>(out.all()[0]) / barriers);
        }
        report.row(name, "ns", ns, how);
    };
    std::uint32_t* flag_at = flags.get();
    std::uint64_t* out_at = out.get();
    std::uint32_t count = barriers;
    auto group = static_cast<std::uint32_t>(std::ceil(std::sqrt(sms)));
    void* of_counter[] = {&flag_at, &count, &out_at};
    void* of_flags[] = {&flag_at, &group, &count, &out_at};
    void* of_grid[] = {&count, &out_at};
    const auto of = [](auto kernel) { return reinterpret_cast<const void*>(kernel); };
    row("time.barrier_counter", of(barrier_counter<true>), 1, of_counter,
        "a thread on every SM adds to one counter, with release, and polls it, with acquire");
    row("time.barrier_counter_relaxed", of(barrier_counter<false>), 1, of_counter,
        "the same without release and acquire");
    row("time.barrier_flags", of(barrier_flags<true>), 1, of_flags,
        "a tree of flags, groups of sqrt(SMs), release at every signal");
    row("time.barrier_flags_relaxed", of(barrier_flags<false>), 1, of_flags, "the same without release and acquire");
    row("time.grid_sync", reinterpret_cast<const void*>(barrier_grid), 32, of_grid,
        "grid sync of the library, a warp on every SM");
    row("time.grid_sync_1024", reinterpret_cast<const void*>(barrier_grid), 1024, of_grid,
        "grid sync of the library, 1024 threads on every SM");
}

}  // namespace hardware
