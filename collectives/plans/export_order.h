// Whether a schedule loses the order of transfers when it is written as MSCCL XML (msccl_writer.h).
#pragma once

#include <string>

#include "collectives/schedule/schedule.h"

namespace weft {

// Why runs of the file take other times than those of the schedule: its longest chain of dependent transfers is another. Empty
// where it is as long. `xml`: what write_msccl_xml() made of the schedule.
std::string lost_order(const Schedule& schedule, const std::string& xml);

}  // namespace weft
