// The bytes of a schedule on every link of a system, by the routes of its transactions, without timing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"
#include "platform/configuration/resolved_system.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

// One direction of a link that carries anything.
struct LinkBytes {
    std::string name;
    std::string from;
    std::string to;
    std::uint64_t payload = 0;  // of the message
    std::uint64_t wire = 0;     // as packets (engine.protocol), with headers, acknowledges or requests; without signals
    std::uint64_t rate = 0;     // bytes/s
    double seconds() const { return static_cast<double>(wire) / static_cast<double>(rate); }
};

// In the order of the graph. Equal paths share evenly. Rank r is member r of `plan`. Steps that a switch carries out are
// left out. Data for packet slots take the packets of engine.protocol; `schedule` has them already.
std::vector<LinkBytes> link_bytes(const ResolvedSystem& system, const FabricPlan& plan, const Schedule& schedule,
    const Layout& layout);

}  // namespace weft
