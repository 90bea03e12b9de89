// The notice on runs whose time is that of the proxies of port channels (gpu/copies/port_proxy.h).
#pragma once

#include <optional>
#include <string>

#include "platform/assembly/fabric_plan.h"
#include "platform/result/run_result.h"

namespace weft {

// Where a proxy serves requests for half of a finished run or more, and fewer of engine.channels would make fewer of them: with
// more than one channel, and without a plan, which names its requests itself. Of several proxies the busiest is told.
std::optional<std::string> proxy_notice(const RunResult& result, const ResolvedSystem& resolved,
    const FabricPlan& plan);

}  // namespace weft
