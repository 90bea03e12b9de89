// `algorithm: auto` and `algorithm: synthesize`: the schedule that the cost graph of the system says is the cheapest.
#pragma once

#include <memory>
#include <string>

#include "collectives/engine/collective_driver.h"
#include "collectives/synthesis/cost_graph.h"
#include "platform/configuration/resolved_system.h"
#include "platform/workload/pricing_line.h"
#include "platform/result/run_result.h"

namespace weft {

// Whether it is no algorithm but a way to choose one.
bool is_choice(const std::string& algorithm);

// Of the request with `algorithm` one of these, on the graph of its members; `result` is told what was compared. Throws InputError.
std::shared_ptr<const Schedule> chosen_schedule(const ResolvedSystem& system, const CostGraph& graph,
    const CollectiveRequest& request, ChoiceResult& result, PricingLine& line);

}  // namespace weft
