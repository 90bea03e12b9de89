#include "collectives/schedule/algorithms/algorithms.h"
#include "platform/configuration/idle/idle_values.h"

namespace weft {

void note_idle_workload(const Workload& workload, std::vector<std::string>& out)
{
    if (workload.kind != Workload::Kind::collective || workload.algorithm == "auto") return;
    OptionUse use;
    std::string who = "a plan";
    if (workload.plan.empty()) {
        CollectiveOp op = CollectiveOp::custom;
        if (!collective_from_name(workload.collective, op)) return;
        const std::string algorithm = workload.algorithm.empty() ? algorithm_names(op).front() : workload.algorithm;
        use = option_use(op, algorithm);
        who = "the algorithm " + algorithm + " of " + workload.collective;
    }
    const auto note = [&out, &who](const char* option, bool set, bool used) {
        if (set && !used)
            out.push_back(
                std::string(option) + " of the workload is set and changes nothing: " + who + " does not use it");
    };
    note("rings", workload.rings > 0, use.rings);
    note("pipeline", workload.pipeline > 0, use.pipeline);
    note("dimensions", !workload.dimensions.empty(), use.dimensions);
}

}  // namespace weft
