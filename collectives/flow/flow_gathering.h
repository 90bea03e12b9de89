// The state of what switches combine and copy for groups of ranks; flow_switches.cpp carries it out.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/synthesis/switch_routes.h"

namespace weft {

// One operation of a switch: operands that it combines, or a store that it copies. Times are in ps.
struct FlowGathering {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    const SwitchGroupRoutes* routes = nullptr;
    std::vector<std::uint32_t> destinations;  // endpoints
    std::vector<std::uint32_t> threads;       // that wait for it; of a load one
    std::uint32_t move = 0;                   // of a load
    std::uint32_t pending = 0;
    bool pushed = false;
    double bytes = 0;
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    std::uint64_t earliest = 0;
    // Over two tiers: the parts that leaves have of it; of such a part, what it is of, and whose.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves;
    std::uint32_t above = none;
    std::uint32_t leaf = none;
};

// Paths of a SwitchLeaf and of a SwitchRoute, in the book.
struct FlowLeafPaths {
    std::uint32_t raised = 0;
    std::uint32_t brought = 0;
    std::uint32_t lowered = 0;
    std::uint32_t stored = 0;
};

struct FlowGroupPaths {
    std::uint32_t store = 0;
    std::uint32_t push = 0;
    std::uint32_t operand = 0;
    std::uint32_t result = 0;
    std::uint32_t copy = 0;
};

}  // namespace weft
