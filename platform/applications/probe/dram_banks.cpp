#include "platform/applications/probe/dram_banks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/line_size.h"
#include "platform/applications/probe/limits.h"
#include "sc_models/memory/hbm_timing.h"

namespace weft {

std::string scarce_banks(const ResolvedSystem& system, const std::string& row, double value, const DramWork& work)
{
    const HbmSpec& hbm = system.hbm(system.endpoints().at(0));
    const std::vector<RateLimit> limits = limits_of(system, row);
    if (limits.empty() || value >= near_bound * limits.front().rate || work.opened <= 0) return {};
    const HbmTiming timing(hbm);
    // From one activate of a bank to its next, with one line between them.
    const std::uint64_t used =
        row == "bandwidth.dram_read" ? timing.last_column + hbm.t_rtp : hbm.t_wl + timing.data + hbm.t_wr;
    const auto cycle = static_cast<double>(std::max(hbm.t_ras, hbm.t_rcd + used) + hbm.t_rp);
    struct Part {
        const char* before;
        double share;  // of what there is
        const char* after;
    };
    const double each = work.opened / static_cast<double>(hbm.channels) / static_cast<double>(work.time);
    const Part parts[] = {{"that takes", each * cycle / timing.banks, "of the time of the banks (hbm.banks)"},
        {"these are", each * static_cast<double>(hbm.t_faw) / 4, "of the activates that hbm.t_faw allows"},
        {"these are", each * static_cast<double>(hbm.t_rrd), "of the activates that hbm.t_rrd allows"}};
    const Part* most = std::max_element(std::begin(parts), std::end(parts),
        [](const Part& a, const Part& b) { return a.share < b.share; });
    // Banks are not hit evenly: a third of the mean is much for some of them.
    if (most->share < 1.0 / 3) return {};
    return fmt::format(
        "{} is at {:.0f} % of its bound: a row of the DRAM is opened for {:.1f} lines of {}, and {} {:.0f} % {}", row,
        value / limits.front().rate * 100, work.lines / work.opened, std::max<std::uint64_t>(1, hbm.row / line_bytes),
        most->before, std::min(100.0, most->share * 100), most->after);
}

}  // namespace weft
