// Near and far: which lines an SM reaches sooner. An addition is done at the home of its line, so its latency shows
// where that is; a load may find a copy that is nearer.
#include <algorithm>
#include <string>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

constexpr int lines = 2048;
constexpr std::size_t words = 16;  // of 8 B in a line

enum class Access { load, add };

// Cycles of each access by itself, to `count` lines one after the other.
template <Access access>
__global__ void each(std::uint64_t* memory, std::uint32_t* claims, std::uint32_t sm, std::uint16_t* cycles, int count)
{
    if (!claim(claims, sm)) return;
    __shared__ volatile std::uint64_t answer;
    for (int i = 0; i < count; ++i) {
        std::uint64_t* at = memory + i * words;
        const long long begin = clock64();
        if (access == Access::load)
            answer = load_l2(at);
        else
            answer = atomicAdd(reinterpret_cast<unsigned long long*>(at), 0ULL);
        const long long end = clock64();  // behind the store, which waits for the answer
        cycles[i] = static_cast<std::uint16_t>(min(end - begin, 65535LL));
    }
}

// The SM reads `count` times 16 B: what its partition held before is displaced.
__global__ void displace(const uint4* memory, std::size_t count, std::uint32_t* claims, std::uint32_t sm, uint4* sink)
{
    if (!claim(claims, sm)) return;
    std::uint32_t sum = 0;
    for (std::size_t i = threadIdx.x; i < count; i += blockDim.x) sum ^= load_l2_16(memory + i).x;
    if (sum == 0x12345678U) sink[0].x = sum;
}

// Every SM stores to, or reads, the piece of its rank, 16 B x `piece`.
template <bool stores>
__global__ void __launch_bounds__(1024) over_piece(__grid_constant__ const Members members, uint4* memory,
    std::uint32_t piece, uint4* sink, std::uint32_t* claims)
{
    if (!claim(claims, sm_id())) return;
    uint4* own = memory + std::size_t{static_cast<std::uint32_t>(members.rank[sm_id()])} * piece;
    std::uint32_t sum = 0;
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < piece; i += blockDim.x) {
        if (stores)
            own[i] = make_uint4(i, sum, 3, 4);
        else
            sum ^= load_l2_16(own + i).x;
    }
    if (sum == 0x12345678U) sink[0].x = sum;
}

// Pieces that SMs of one side have written are read once by SMs of the other side: half of the lines are far.
void far_bandwidth(const Device& device, Report& report, const std::vector<int>& near, const std::vector<int>& far)
{
    const std::size_t pairs = std::min(near.size(), far.size());
    std::vector<int> owners;
    std::vector<int> readers;
    for (std::size_t i = 0; i < pairs; ++i) {
        owners.insert(owners.end(), {near[i], far[i]});
        readers.insert(readers.end(), {far[i], near[i]});
    }
    // SMs without a partner keep to themselves.
    for (std::size_t i = pairs; i < std::max(near.size(), far.size()); ++i) {
        const int sm = near.size() > far.size() ? near[i] : far[i];
        owners.push_back(sm);
        readers.push_back(sm);
    }
    constexpr std::uint32_t shorter = (48 << 10) / sizeof(uint4);
    constexpr std::uint32_t longer = 3 * shorter;
    constexpr int held = 200 << 10;
    HW_CHECK(cudaFuncSetAttribute(over_piece<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, held));
    HW_CHECK(cudaFuncSetAttribute(over_piece<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, held));
    Buffer<uint4> memory(std::size_t(device.sms()) * longer);
    Buffer<uint4> sink(1);
    Buffer<std::uint32_t> claims(device.sms());
    const Members writing = members_of(owners);
    const Members reading = members_of(readers);
    const auto first_read = [&](std::uint32_t piece) {
        claims.clear();
        over_piece<true><<<4 * device.sms(), 1024, held>>>(writing, memory.get(), piece, sink.get(), claims.get());
        finish();
        expect_claimed(claims, static_cast<std::uint32_t>(device.sms()));
        claims.clear();
        return timed_ns([&] {
            over_piece<false><<<4 * device.sms(), 1024, held>>>(reading, memory.get(), piece, sink.get(), claims.get());
        });
    };
    std::vector<double> rates;
    for (int i = 0; i < 9; ++i) {
        std::vector<double> less;
        std::vector<double> more;
        for (int k = 0; k < 30; ++k) {
            less.push_back(first_read(shorter));
            more.push_back(first_read(longer));
        }
        rates.push_back(
            device.sms() * sizeof(uint4) * static_cast<double>(longer - shorter) / (median(more) - median(less)));
    }
    report.row("bandwidth.l2_far", "GB/s", rates,
        "first reads of 13 MB more that SMs of the other side have written: half of the lines are far");
}

}  // namespace

void measure_partitions(const Device& device, Report& report)
{
    const double cycle = device.cycle_ns();
    Buffer<std::uint64_t> memory(lines * words);
    Buffer<std::uint32_t> claims(device.sms());
    Buffer<std::uint16_t> cycles(lines);
    const auto run = [&](Access access, int sm) {
        claims.clear();
        if (access == Access::load)
            each<Access::load><<<4 * device.sms(), 1>>>(memory.get(), claims.get(), static_cast<std::uint32_t>(sm),
                cycles.get(), lines);
        else
            each<Access::add><<<4 * device.sms(), 1>>>(memory.get(), claims.get(), static_cast<std::uint32_t>(sm),
                cycles.get(), lines);
        finish();
        expect_claimed(claims, 1);
        return cycles.all();
    };

    // Of each SM: the mean over the lines that are near to SM 0, less the mean over those that are far from it.
    run(Access::add, 0);
    const auto of_first = run(Access::add, 0);
    std::vector<double> ns(of_first.size());
    std::transform(of_first.begin(), of_first.end(), ns.begin(), [&](std::uint16_t c) { return c * cycle; });
    report.row("partition.add", "ns", ns, "an addition with its result, SM 0, one of 2048 lines each");
    Curve histogram{"add_latency_histogram", "cycles", "lines", {}, "as partition.add, by 20 cycles"};
    const double middle = median(std::vector<double>(of_first.begin(), of_first.end()));
    std::vector<int> bins(4000 / 20);
    for (const std::uint16_t c : of_first) ++bins[std::min<std::size_t>(c / 20, bins.size() - 1)];
    for (std::size_t i = 0; i < bins.size(); ++i)
        if (bins[i] > 0) histogram.points.emplace_back(20.0 * static_cast<double>(i), bins[i]);
    report.curve(std::move(histogram));

    Curve sides{"side_of_sm", "SM", "cycles", {},
        "mean latency of additions to the lines that are nearer than the median to SM 0, less that of the others"};
    std::vector<std::vector<std::uint16_t>> table;
    for (int sm = 0; sm < device.sms(); ++sm) {
        table.push_back(run(Access::add, sm));
        double near = 0;
        double far = 0;
        int nears = 0;
        for (int i = 0; i < lines; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const bool is_near = of_first[at] < middle;
            (is_near ? near : far) += table.back()[at];
            nears += is_near ? 1 : 0;
        }
        sides.points.emplace_back(sm, near / std::max(nears, 1) - far / std::max(lines - nears, 1));
    }
    // An SM of the other side and one of the same, by that difference.
    int other = 0;
    for (int sm = 0; sm < device.sms(); ++sm)
        if (sides.points[static_cast<std::size_t>(sm)].second > sides.points[static_cast<std::size_t>(other)].second)
            other = sm;
    std::vector<int> near_sms;
    std::vector<int> far_sms;
    for (const auto& point : sides.points)
        (point.second < 0 ? near_sms : far_sms).push_back(static_cast<int>(point.first));
    report.curve(std::move(sides));
    report.row("partition.sms_near_to_sm_0", "count", {static_cast<double>(near_sms.size())},
        "SMs on the side of SM 0");

    const auto rows_of = [&](const std::string& name, const std::vector<std::uint16_t>& found, const char* how) {
        std::vector<double> near;
        std::vector<double> far;
        for (int i = 0; i < lines; ++i) {
            const auto at = static_cast<std::size_t>(i);
            (of_first[at] < middle ? near : far).push_back(found[at] * cycle);
        }
        report.row(name + ".near", "ns", near, how);
        report.row(name + ".far", "ns", far, how);
    };
    rows_of("partition.add_by_line", of_first, "an addition of SM 0 to the nearer and the farther half of the lines");
    memory.clear();
    run(Access::add, other);  // every line is held at its home alone
    rows_of("partition.load_first", run(Access::load, 0),
        "first load of SM 0 of the nearer and the farther half, after additions of an SM of the other side");
    rows_of("partition.load_again", run(Access::load, 0), "the same once more");
    run(Access::add, other);
    rows_of("partition.load_after_add", run(Access::load, 0), "the same after additions of an SM of the other side");
    run(Access::load, other);
    rows_of("partition.load_shared", run(Access::load, 0), "the same after loads of an SM of the other side");

    // Lines that others have displaced: read from the DRAM, or from the other partition if that still holds them.
    constexpr std::size_t mib = std::size_t{1} << 20;
    Buffer<uint4> others(512 * mib / sizeof(uint4));
    Buffer<uint4> sink(1);
    far_bandwidth(device, report, near_sms, far_sms);
    const auto after_displacing = [&](int by, std::size_t bytes) {
        claims.clear();
        displace<<<4 * device.sms(), 256>>>(others.get(), bytes / sizeof(uint4), claims.get(),
            static_cast<std::uint32_t>(by), sink.get());
        finish();
        return run(Access::load, 0);
    };
    rows_of("partition.load_dram", after_displacing(0, 512 * mib),
        "the same after 512 MiB of other loads: from the DRAM");
    for (const std::size_t part : {16, 24, 28, 32, 36, 40}) {
        run(Access::load, 0);
        rows_of("partition.load_after_" + std::to_string(part), after_displacing(0, part * mib),
            "the same after that many MiB of other loads of this SM");
    }
    run(Access::load, 0);
    rows_of("partition.load_after_40_of_other", after_displacing(other, 40 * mib),
        "the same after 40 MiB of other loads of an SM of the other side");
}

}  // namespace hardware
