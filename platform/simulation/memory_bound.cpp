#include "platform/simulation/memory_bound.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

double statistic(const ModuleResult& module, const std::string& name)
{
    for (const Statistic& entry : module.statistics)
        if (entry.name == name) return entry.value;
    return 0;
}

constexpr Time least_behind = 20;  // part of a run from which write-backs after its end are told

// Share of the time that refreshes take from the pins of every channel.
double refreshing(const HbmSpec& hbm)
{
    if (hbm.refresh != RefreshMode::all_bank) return 0;
    return static_cast<double>(hbm.t_rfc) / static_cast<double>(hbm.t_refi);
}

// Late write-backs are behind the run: what is busy with them then has not held it up.
Time behind_run(const RunResult& result)
{
    return result.beside || result.counted_ps < result.simulated_ps ? 0 : result.counted_ps - result.simulated_ps;
}

double busiest_link(const RunResult& result, double time)
{
    Time busiest = 0;
    for (const LinkResult& link : result.link_results) busiest = std::max<Time>(busiest, link.busy_ps);
    return static_cast<double>(busiest) / time;
}

}  // namespace

std::optional<MemoryBound> memory_bound_of(const RunResult& result, const ResolvedSystem& resolved,
    const FabricPlan& plan)
{
    if (result.counted_ps == 0) return std::nullopt;
    const auto behind = static_cast<double>(behind_run(result));
    const auto time = static_cast<double>(result.counted_ps) - behind;
    if (time <= 0) return std::nullopt;
    std::map<std::string, const ModuleResult*> modules;
    for (const ModuleResult& module : result.modules) modules[module.name] = &module;
    std::optional<MemoryBound> bound;
    double busiest = 0;
    for (const NodeId node : plan.members) {
        const std::string& name = plan.fabric.nodes[node].name;
        // `late`: what it may do after the end of the run. What works a queue off does so all the time.
        const auto consider = [&](const char* part, std::uint64_t servers, double reserved, std::uint64_t rate,
                                  double late) {
            const auto found = modules.find(name + "." + part);
            if (found == modules.end()) return;
            const double busy = statistic(*found->second, "busy") / static_cast<double>(servers);
            const double share = std::max(0.0, busy - late * (1 - reserved)) / time + reserved;
            if (share < 0.5 || share <= busiest) return;
            busiest = share;
            const double most = static_cast<double>(rate) * 1e-9;
            bound = MemoryBound{std::string(part) + ".bandwidth", name, std::min(share, 1.0),
                (std::min(share, 1.0) - reserved) * most, most};
        };
        const HbmSpec& hbm = resolved.hbm(node);
        if (hbm.ours()) consider("hbm", hbm.channels, refreshing(hbm), hbm.bandwidth, behind);
        if (resolved.l2(node).of_weft()) consider("l2", resolved.l2(node).slices, 0, resolved.l2(node).bandwidth, 0);
        consider("memory_side", hbm.channels, 0, resolved.memory_side(node).bandwidth, behind);
    }
    if (bound && busiest <= busiest_link(result, time)) bound.reset();
    return bound;
}

std::optional<std::string> write_back_notice(const RunResult& result, Time last)
{
    const Time end = result.simulated_ps;
    if (result.stop != StopReason::finished || result.beside || last <= end + end / least_behind) return std::nullopt;
    const ModuleResult* behind = nullptr;
    for (const ModuleResult& module : result.modules)
        if (statistic(module, "writes") > 0 &&
            (behind == nullptr || statistic(module, "busy") > statistic(*behind, "busy")))
            behind = &module;
    if (behind == nullptr) return std::nullopt;
    const std::size_t dot = behind->name.rfind('.');
    return fmt::format(
        "{} of {} carries write-backs until {} after the end of the run: a store has ended when the L2 has it "
        "(docs/models/l2.md), so the time lacks what the memory is behind; statistics and energies are counted until "
        "then",
        behind->name.substr(dot + 1), behind->name.substr(0, dot), format_time_ps(last - end));
}

}  // namespace weft
