#include "platform/commands/options/known_names.h"

#include <algorithm>

#include "collectives/schedule/algorithms/algorithms.h"

namespace weft {

std::vector<std::string> collective_names()
{
    std::vector<std::string> names;
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op)
        if (!algorithm_names(static_cast<CollectiveOp>(op)).empty())
            names.emplace_back(name_of(static_cast<CollectiveOp>(op)));
    return names;
}

const std::vector<std::string>& element_names()
{
    static const std::vector<std::string> names{"int32", "fp32", "bf16", "u8"};
    return names;
}

std::vector<std::string> algorithms_of(const std::string& collective)
{
    std::vector<std::string> names;
    for (const std::string& known : collective_names()) {
        CollectiveOp op{};
        if ((!collective.empty() && known != collective) || !collective_from_name(known, op)) continue;
        for (const std::string& name : algorithm_names(op))
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    if (!names.empty()) names.insert(names.end(), {"auto", "synthesize"});
    return names;
}

KnownNames known_names(const ModelRegistry& registry)
{
    return {registry.names_by_kind(), collective_names(), algorithms_of(""), registry.blocks()};
}

}  // namespace weft
