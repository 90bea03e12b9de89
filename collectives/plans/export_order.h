// How a schedule that is written as MSCCL XML (msccl_writer.h) differs from the original in its order and its steps.
#pragma once

#include <string>

#include "collectives/schedule/schedule.h"

namespace weft {

// Why runs of the file take other times than those of the schedule: what its steps have become, and its longest chain of
// dependent transfers where that is another. Empty where every step has its counterpart. `xml`: what
// write_msccl_xml() made of the schedule.
std::string export_changes(const Schedule& schedule, const std::string& xml);

}  // namespace weft
