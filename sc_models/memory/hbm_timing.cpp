#include "sc_models/memory/hbm_timing.h"

#include <algorithm>

#include "base/line_size.h"

namespace weft {

HbmTiming::HbmTiming(const HbmSpec& given)
    : spec(given), rate(std::max<std::uint64_t>(1, given.bandwidth / given.channels)),
      banks(static_cast<unsigned>(given.bank_groups * given.banks)), seen{given.read_queue, given.write_queue},
      high(std::min(given.write_high, given.write_queue)), low(std::min(given.write_low, high - 1))
{
    for (unsigned bank = 0; bank < group_of.size(); ++bank)
        group_of[bank] = static_cast<std::uint8_t>(bank / spec.banks);
    const std::uint64_t bursts = (line_bytes + spec.burst - 1) / spec.burst;
    const std::uint64_t burst_time = spec.burst * 1'000'000'000'000 / rate;
    line = bursts * spec.burst * 1'000'000'000'000 / rate;
    line_rest = bursts * spec.burst * 1'000'000'000'000 % rate;
    last_column = (bursts - 1) * std::max<std::uint64_t>(spec.t_ccd_l, burst_time);
    data = last_column + burst_time;
    group_busy = bursts * spec.t_ccd_l;
}

std::uint64_t idle_read(const HbmSpec& spec)
{
    return spec.request_latency + spec.t_rcd + spec.t_cl + HbmTiming(spec).data + spec.response_latency;
}

}  // namespace weft
