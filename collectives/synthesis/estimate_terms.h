// The terms of an estimate: its decrease when a cause is removed, one cause after the other. So the terms add up to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/synthesis/estimate.h"

namespace weft {

struct EstimateTerm {
    std::string name;
    std::int64_t ps = 0;  // below 0 where the schedule takes longer without this cause

    bool operator==(const EstimateTerm& other) const { return name == other.name && ps == other.ps; }
};

// In this order: launch; latency (loads, puts, acknowledges and fences without load); flags (detecting them, polls of flags that are
// set); issue (issue slots, registers, lines in flight); links (bytes on links and in switches, queues there).
// `whole`: estimate() of the same.
std::vector<EstimateTerm> estimate_terms(const Estimate& whole, const Schedule& schedule, const CostGraph& graph,
    const EstimateOptions& options);

// "launch 1 us + flags 2 us", without those that are 0.
std::string text_of(const std::vector<EstimateTerm>& terms);

}  // namespace weft
