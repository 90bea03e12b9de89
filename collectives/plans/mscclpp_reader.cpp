#include "collectives/plans/mscclpp_reader.h"

#include "collectives/plans/mscclpp_keys.h"
#include "collectives/plans/mscclpp_lowering.h"

namespace weft {

Plan read_mscclpp_json(const std::string& text, const std::string& file, const PlanOptions& options)
{
    Plan plan;
    plan.file = file;
    plan.format = "mscclpp_json";
    const JsonValue tree = read_json(text, file);
    const MscclppPlan source = read_mscclpp_plan(tree, file, plan.problems);
    plan.notices = unknown_mscclpp_keys(tree, file);
    plan.name = source.name;
    plan.collective = source.collective;
    plan.protocol = source.protocol;
    plan.min_bytes = source.min_bytes;
    plan.max_bytes = source.max_bytes;
    plan.alignment = source.alignment;
    if (plan.problems.empty()) MscclppLowering(source, options, plan).lower();
    return plan;
}

}  // namespace weft
