#include "platform/simulation/proxy_notice.h"

#include <map>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

// By the name of the module; modules without port channels have none.
std::map<std::string, Time> requests_by_module(const RunResult& result)
{
    std::map<std::string, Time> out;
    for (const ModuleResult& module : result.modules)
        for (const Statistic& entry : module.statistics)
            if (entry.name == "requests") out[module.name] = static_cast<Time>(entry.value);
    return out;
}

// The collectives of a trace have messages of different sizes: the most channels that one can have.
std::uint64_t channels_of(const EngineSpec& engine, const Workload& workload)
{
    if (workload.kind == Workload::Kind::trace) return engine.channels;
    return engine.channels_for(workload.bytes, engine.channels);
}

}  // namespace

std::optional<std::string> proxy_notice(const RunResult& result, const ResolvedSystem& resolved, const FabricPlan& plan)
{
    const Workload& workload = resolved.workload;
    const std::uint64_t channels = channels_of(resolved.engine(), workload);
    if (result.stop != StopReason::finished || !workload.plan.empty() || channels <= 1) return std::nullopt;
    const std::map<std::string, Time> requests = requests_by_module(result);
    std::string name;
    Time asked = 0;
    Time service = 0;
    for (const NodeId node : plan.members) {
        const auto found = requests.find(plan.fabric.nodes[node].name + ".copy");
        if (found == requests.end()) continue;
        const Time of_one = resolved.copy(node).proxy_service;
        if (found->second * of_one <= asked * service) continue;
        name = plan.fabric.nodes[node].name;
        asked = found->second;
        service = of_one;
    }
    const Time busy = asked * service;
    if (busy == 0 || busy < result.simulated_ps / 2) return std::nullopt;
    return fmt::format("the proxy of {} serves its {} requests for {} of this run, one after the other, each for "
                       "copy.proxy_service = {}: each of the {} channels makes requests of its own, so fewer "
                       "engine.channels make fewer (docs/models/copy_engine.md)",
        name, asked, format_time_ps(busy), format_time_ps(service), channels);
}

}  // namespace weft
