// Latency against load as an SVG picture: mean, p50 and p99, and where the fabric saturates.
#pragma once

#include <string>

#include "platform/fabric/fabric_report.h"

namespace weft {

std::string fabric_svg(const FabricSweep& sweep);

}  // namespace weft
