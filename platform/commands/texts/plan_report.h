// The output of `weft plan`, as text and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/plans/plan.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/order.h"
#include "platform/workload/link_bytes.h"

namespace weft {

struct PlanReport {
    Plan plan;
    Judgement verdict;
    std::uint64_t bytes = 0;  // of the message that bytes are stated for
    std::uint32_t element_bytes = 1;
    // For a right plan:
    std::optional<Traffic> traffic;
    std::vector<StepAt> path;   // the longest chain of dependent transfers
    std::string system;         // empty unless links are asked for
    std::string link_protocol;  // "simple", "ll" or "ll128"
    std::vector<LinkBytes> links;
    std::vector<std::string> notices;
};

std::string plan_text(const PlanReport& report);
std::string plan_json(const PlanReport& report);

}  // namespace weft
