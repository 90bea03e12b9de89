// The alpha-beta figure of a single collective, from the parameters of the system it runs on.
//
// A step of a chunk: read it at the local L2 (hit), send it, wait for its acknowledge, signal, and be
// noticed by the next rank's poll. Without payload that takes
//
//   alpha = load + put + answer + signal + notice
//     load    unit_to_l2 + l2.latency + l2_to_unit
//     put     unit_to_port + links and switches of the path + port_to_l2 + l2.latency, for a whole line
//     answer  l2_to_port + the path back + port_to_unit
//     signal  as put, for a flag, behind fence_latency
//     notice  l2_to_unit, plus with spin half of the mean period (flag round trip + spin_interval)
//
// of the slowest pair that exchanges anything, and
//
//   time = launch_latency + steps x alpha + wire bytes of the busiest link / its bandwidth
//
// In packets (engine.protocol) neither answer nor signal, notice is half a period of looks in any case, and the wire has
// the bytes of the packets. There is no formula for several slices, nor for staging.
//
// with headers and acknowledges in the wire bytes and equal paths sharing evenly. Queueing, cold misses, issue slots
// and what channels overlap are left out.
#pragma once

#include <optional>

#include "collectives/engine/collective_driver.h"
#include "platform/configuration/resolved_system.h"
#include "platform/result/run_result.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

// Nothing for algorithms without a formula and for a single rank.
std::optional<AlphaBeta> alpha_beta(const ResolvedSystem& system, const FabricPlan& plan,
    const CollectiveRequest& request, const Schedule& schedule);

// Payload that the schedule of a collective puts on every link direction (2e: from edge e's a to its b), in bytes; without
// flags. Nothing for schedules of which a switch carries out a part.
std::optional<std::vector<double>> link_payload(const FabricPlan& plan, const RoutingSpec& routing,
    const CollectiveRequest& request, const Schedule& schedule);

}  // namespace weft
