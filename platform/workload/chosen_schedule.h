// `algorithm: auto` and `algorithm: synthesize`: the schedule that the cost graph of the system says is the cheapest.
#pragma once

#include <cstdint>
#include <functional>
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

// In how many channels, which stand for all, a schedule is written that is `one` in one channel.
using WrittenChannels = std::function<std::uint32_t(const Schedule& one)>;

struct ChosenSchedule {
    std::shared_ptr<const Schedule> schedule;
    std::uint32_t channels = 1;  // that it is written in
};

// Of the request with `algorithm` one of these, on the graph of its members; `result` is told what was compared. Without `written` in all
// channels. Throws InputError.
ChosenSchedule chosen_schedule(const ResolvedSystem& system, const CostGraph& graph, const CollectiveRequest& request,
    ChoiceResult& result, PricingLine& line, const WrittenChannels& written = {});

}  // namespace weft
