// A plan as what runs: read for the size of the workload, and found right before anything is built.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/engine/collective_driver.h"
#include "collectives/schedule/protocol/protocol_kind.h"
#include "platform/configuration/workload.h"

namespace weft {

struct PlanLoad {
    std::shared_ptr<const Schedule> schedule;
    std::uint64_t bytes = 0;
    std::vector<Diagnostic> notices;

    // In place of a built-in algorithm.
    void apply(CollectiveRequest& request) const;
};

// engine.protocol, and whether somebody has set it.
struct ProtocolSetting {
    Protocol protocol = Protocol::simple;
    bool set = false;
};

// Throws InputError for a plan that cannot be read, is wrong for this size, has none, or has another reduction than the
// workload states. `file` is the place of the workload, `protocol` how it will be run.
PlanLoad load_plan(const Workload& workload, const std::string& file, ProtocolSetting protocol);

}  // namespace weft
