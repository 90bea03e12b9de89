// Collectives played through at flow fidelity on a cost graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "collectives/flow/flow_core.h"
#include "collectives/synthesis/estimate.h"

namespace weft::testing {

struct FlowTime {
    std::uint64_t end_ps = 0;
    std::uint32_t left = 0;  // ranks that finished
    std::uint64_t messages = 0;
    std::uint64_t events = 0;
    std::vector<std::string> blocked{};
};

// All ranks enter at 0; `repeat` times one after the other.
FlowTime play(std::shared_ptr<const FlowProgram> program, const CostGraph& graph, const EstimateOptions& options,
    const FlowProfile& profile = {}, std::uint32_t repeat = 1);
// The same on any fabric: `ranks` and the book of its paths.
FlowTime play(std::shared_ptr<const FlowProgram> program, FlowRanks ranks, PathBook& book,
    const EstimateOptions& options, const FlowProfile& profile = {}, std::uint32_t repeat = 1,
    SwitchRoutes* switches = nullptr);
FlowTime play(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options);

}  // namespace weft::testing
