// Runs with wide transactions (engine.grain above 64 B): which systems can have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// A part of the system, or an output that was asked for, has transactions of one line only.
struct WideRefused : InputError {
    using InputError::InputError;
};

// At the place of the user's last word among the parameters that `what` names, else in the system's file.
WideRefused wide_refused(const ResolvedSystem& system, const std::string& what, const std::string& expected);

// A limit of lines in flight of what moves data in this run.
struct FlightLimit {
    const char* parameter;
    std::uint64_t lines;
};
// Those of an accelerator.
std::vector<FlightLimit> flight_limits(const ResolvedSystem& system, NodeId node);

// Throws WideRefused for the first part of the system that has transactions of one line only, or for which a wide one would not be
// the lines that it is made of, and names the widest grain that all parts have; InputError for a grain that there is not. Does nothing
// at 64 B.
void require_wide(const ResolvedSystem& system, const FabricPlan& plan);

// What such a run does otherwise than one of lines, for its notices; none at 64 B.
std::vector<std::string> wide_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
