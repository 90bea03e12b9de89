// Dependent loads of one thread: a chain of words, one to each line of 128 B, in a random order.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "testbenches/hardware/device.h"

namespace hardware {

namespace {

constexpr std::size_t line = 128;
constexpr std::size_t words = line / sizeof(std::uint64_t);

template <bool through_l1>
__global__ void chase(const std::uint64_t* first, std::uint64_t warm, std::uint64_t loads, std::uint32_t* claims,
    std::uint32_t sm, std::uint64_t* out)
{
    if (!claim(claims, sm)) return;
    const std::uint64_t* at = first;
    for (std::uint64_t i = 0; i < warm; ++i)
        at = reinterpret_cast<const std::uint64_t*>(through_l1 ? load_l1(at) : load_l2(at));
    const long long begin = clock64();
    for (std::uint64_t i = 0; i < loads; ++i)
        at = reinterpret_cast<const std::uint64_t*>(through_l1 ? load_l1(at) : load_l2(at));
    const long long end = clock64();
    out[0] = static_cast<std::uint64_t>(end - begin);
    out[1] = reinterpret_cast<std::uint64_t>(at);
}

// The chain over `bytes`, in device addresses.
void lay_chain(const Buffer<std::uint64_t>& memory, std::size_t bytes)
{
    const std::size_t count = bytes / line;
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
    std::vector<std::uint64_t> content(bytes / sizeof(std::uint64_t));
    const auto base = reinterpret_cast<std::uint64_t>(memory.get());
    for (std::size_t i = 0; i < count; ++i) content[order[i] * words] = base + order[(i + 1) % count] * line;
    memory.put(content);
}

class Chase {
public:
    Chase(const Device& device, std::size_t most) : device_(device), memory_(most / 8), claims_(device.sms()), out_(2)
    {
    }

    void lay(std::size_t bytes)
    {
        lay_chain(memory_, bytes);
        lines_ = bytes / line;
    }

    // Cycles of a load: one round of at most `most` loads, after `warm` loads.
    double cycles(std::uint32_t sm, bool through_l1, std::uint64_t warm, std::uint64_t most, std::uint64_t start = 0)
    {
        const std::uint64_t* first = memory_.get() + start % lines_ * words;
        claims_.clear();
        const std::uint64_t loads = std::min<std::uint64_t>(std::max<std::uint64_t>(lines_, 2048), most);
        const int blocks = 4 * device_.sms();
        if (through_l1)
            chase<true><<<blocks, 1>>>(first, warm, loads, claims_.get(), sm, out_.get());
        else
            chase<false><<<blocks, 1>>>(first, warm, loads, claims_.get(), sm, out_.get());
        finish();
        expect_claimed(claims_, 1);
        return static_cast<double>(out_.all()[0]) / static_cast<double>(loads);
    }
    std::uint64_t lines() const { return lines_; }

private:
    const Device& device_;
    Buffer<std::uint64_t> memory_;
    Buffer<std::uint32_t> claims_;
    Buffer<std::uint64_t> out_;
    std::uint64_t lines_ = 0;
};

}  // namespace

void measure_latency(const Device& device, Report& report)
{
    constexpr std::size_t mib = std::size_t{1} << 20;
    Chase chase(device, 4096 * mib);
    const double cycle = device.cycle_ns();
    const auto over_sms = [&](const char* name, std::size_t bytes, bool through_l1, std::uint64_t warm,
                              std::uint64_t most, const char* how) {
        chase.lay(bytes);
        std::vector<double> ns;
        for (int sm = 0; sm < device.sms(); sm += device.sms() / 12)
            ns.push_back(cycle *
                chase.cycles(static_cast<std::uint32_t>(sm), through_l1, warm, most,
                    static_cast<std::uint64_t>(sm) * 2'000'003));
        report.row(name, "ns", ns, how);
    };
    over_sms("latency.l1", 64 << 10, true, 512, 4096, "64 KiB, loads that the L1 may hold; twelve SMs");
    over_sms("latency.l2", 8 * mib, false, 8 * mib / line, 65'536,
        "8 MiB, loads past the L1, second round; twelve SMs");
    over_sms("latency.l2_85", device.l2_bytes() / 100 * 85 / line * line, false, device.l2_bytes() / 100 * 85 / line,
        device.l2_bytes() / line, "85 % of the L2, second round; twelve SMs");
    // In a page of 2 MiB the address translation is a hit as a rule; over 4 GiB it may not be.
    over_sms("latency.dram", 256 * mib, false, 256 * mib / line, 65'536, "256 MiB, second round; twelve SMs");
    over_sms("latency.dram_4gib", 4096 * mib, false, 65'536, 65'536, "4 GiB, each line once; twelve SMs");

    Curve curve{"latency_over_footprint", "B", "ns", {}, "one SM, through the L1, second round, random order of lines"};
    for (int i = 0; i <= 45; ++i) {
        const auto bytes = static_cast<std::size_t>(16384.0 * std::pow(2.0, i / 3.0)) / line * line;
        chase.lay(bytes);
        curve.points.emplace_back(static_cast<double>(bytes), cycle * chase.cycles(0, true, chase.lines(), 262'144));
    }
    report.curve(std::move(curve));
}

}  // namespace hardware
