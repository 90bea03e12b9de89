#include "collectives/plans/export_order.h"

#include <fmt/format.h>

#include "collectives/plans/msccl_reader.h"
#include "collectives/schedule/verify.h"

namespace weft {

std::string lost_order(const Schedule& schedule, const std::string& xml)
{
    const Verification before = verify(schedule);
    const Verification after = verify(read_msccl_xml(xml, "").schedule);
    if (before.too_large || after.too_large || before.steps == after.steps) return {};
    return fmt::format(
        "the exported plan keeps the name {}, but its longest chain of dependent transfers has {} instead "
        "of {}: signals, waits and barriers that no data need are not in MSCCL XML, so its times differ",
        schedule.name, after.steps, before.steps);
}

}  // namespace weft
