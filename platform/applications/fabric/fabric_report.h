// The points of a fabric bench as a table and as JSON.
#pragma once

#include <string>

#include "platform/applications/fabric/fabric_saturation.h"

namespace weft {

std::string fabric_text(const FabricSweep& sweep);
std::string fabric_json(const FabricSweep& sweep);
// The data that one process passes to the process that collects points.
std::string point_json(const FabricResult& result);
// Throws InputError when `text` is none.
FabricResult point_from_json(const std::string& text);

}  // namespace weft
