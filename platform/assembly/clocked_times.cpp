#include "platform/assembly/clocked_times.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/units.h"
#include "rtl/modules/clocked_link.h"

namespace weft {

namespace {

bool is_one_of(const std::string& model, std::initializer_list<const char*> models)
{
    return std::find(models.begin(), models.end(), model) != models.end();
}

std::string rounded(const char* parameter, const char* whose, Time latency, Time clock, Time clocks)
{
    return fmt::format("{} of {} is {:.5g} clocks of {}: {} take {}, {}", parameter, format_time_ps(latency),
        static_cast<double>(latency) / static_cast<double>(clock), format_time_ps(clock), whose, clocks,
        format_time_ps(clocks * clock));
}

}  // namespace

std::vector<std::string> clocked_time_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    std::set<std::string> out;
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
        if (!is_used(plan.used.edges, edge)) continue;
        if (!is_one_of(system.link_model(edge), {"reference_link", "rtl_link", "link_lockstep"})) continue;
        const LinkSpec& link = system.link(edge);
        const Time clock = ClockedLink::clock_of(link);
        if (link.latency % clock != 0)
            out.insert(
                rounded("link.latency", "clocked links", link.latency, clock, (link.latency + clock / 2) / clock));
    }
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        if (!is_used(plan.used.nodes, node) || system.role(node) != NodeRole::forwarder) continue;
        if (!is_one_of(system.model(node), {"reference_switch", "rtl_switch", "switch_lockstep"})) continue;
        const SwitchSpec& spec = system.switch_of(node);
        if (spec.latency % spec.clock != 0)
            out.insert(rounded("switch.latency", "clocked switches", spec.latency, spec.clock,
                (spec.latency + spec.clock - 1) / spec.clock));
    }
    return {out.begin(), out.end()};
}

}  // namespace weft
