// The points of a fabric bench as a table and as JSON.
#pragma once

#include <string>
#include <vector>

#include "platform/fabric/fabric_bench.h"

namespace weft {

struct FabricSweep {
    FabricSetting setting;
    std::vector<FabricPoint> points;  // in the order of loads
    FabricPoint full;                 // load 1
};

// The largest accepted load of all points, and whether any of them was beyond it.
double saturation_of(const FabricSweep& sweep);

std::string fabric_text(const FabricSweep& sweep);
std::string fabric_json(const FabricSweep& sweep);
// What one process hands to the one that gathers points.
std::string point_json(const FabricResult& result);
// Throws InputError when `text` is none.
FabricResult point_from_json(const std::string& text);

}  // namespace weft
