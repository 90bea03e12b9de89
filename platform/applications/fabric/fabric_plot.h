// Latency against load as an SVG picture: mean, p50 and p99 of the same points, up to load 1 and so past saturation; below,
// what the fabric accepts of what is offered.
#pragma once

#include <string>

#include "platform/applications/fabric/fabric_report.h"

namespace weft {

std::string fabric_svg(const FabricSweep& sweep);

}  // namespace weft
