// `algorithm: auto` and `algorithm: synthesize`: the schedule that the cost graph of the system says is the cheapest.
#pragma once

#include <memory>
#include <string>

#include "collectives/engine/collective_driver.h"
#include "platform/config/resolved_system.h"
#include "platform/run/run.h"
#include "platform/system/fabric_plan.h"

namespace weft {

// Whether it is no algorithm but a way to choose one.
bool is_choice(const std::string& algorithm);

// Of the request with `algorithm` one of these; `result` is told what was compared. Throws InputError.
std::shared_ptr<const Schedule> chosen_schedule(const ResolvedSystem& system, const FabricPlan& plan,
    const CollectiveRequest& request, ChoiceResult& result);

}  // namespace weft
