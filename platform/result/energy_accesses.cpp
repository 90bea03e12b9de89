#include "platform/result/energy_accesses.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/line_size.h"

namespace weft {

namespace {

const Statistic* find(const ModuleResult& module, const std::string& name)
{
    const auto found = std::find_if(module.statistics.begin(), module.statistics.end(),
        [&name](const Statistic& statistic) { return statistic.name == name; });
    return found == module.statistics.end() ? nullptr : &*found;
}

// Statistics in lines are accesses; those of the same name in another unit are something else.
void count(const ModuleResult& module, const std::vector<std::string>& needed, const std::vector<std::string>& more,
    Accesses& out)
{
    double lines = 0;
    const auto add = [&](const std::string& name, bool must) {
        const Statistic* statistic = find(module, name);
        if (statistic == nullptr && !must) return true;
        if (statistic == nullptr || statistic->unit != "lines") {
            out.why_not = statistic == nullptr ? fmt::format("the model has no statistic '{}'", name)
                                               : fmt::format("the model's statistic '{}' is in {}, not in lines", name,
                                                     statistic->unit.empty() ? "no unit" : statistic->unit);
            return false;
        }
        lines += statistic->value;
        return true;
    };
    for (const std::string& name : needed)
        if (!add(name, true)) return;
    for (const std::string& name : more)
        if (!add(name, false)) return;
    out.counted = true;
    out.bytes += lines * line_bytes;
}

}  // namespace

AccessesOfRun accesses_of(const RunResult& result, const ResolvedSystem& resolved)
{
    std::unordered_map<std::string, NodeId> with_memory;
    for (const auto* nodes : {&resolved.endpoints(), &resolved.memories()})
        for (const NodeId node : *nodes) with_memory.emplace(resolved.graph().node(node).name, node);
    const std::vector<std::string> of_memories{"reads", "writes"};
    const std::vector<std::string> of_caches{"hits", "misses"};
    const std::vector<std::string> of_some_caches{"far_hits", "merged"};
    AccessesOfRun out;
    for (const ModuleResult& module : result.modules) {
        const auto found = with_memory.find(module.name.substr(0, module.name.rfind('.')));
        if (found == with_memory.end()) continue;
        const NodeId node = found->second;
        const std::string& profile = resolved.profile(node);
        if (module.kind == "hbm")
            count(module, of_memories, {}, out.hbm[resolved.hbm(node).ours() ? profile : module.model]);
        if (module.kind == "l2")
            count(module, of_caches, of_some_caches, out.l2[resolved.l2(node).of_weft() ? profile : module.model]);
        if (module.kind == "memory_side") count(module, of_caches, of_some_caches, out.memory_side[profile]);
    }
    return out;
}

}  // namespace weft
