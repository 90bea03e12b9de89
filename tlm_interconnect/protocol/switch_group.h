// A group of endpoints that a switch writes to, reads and adds up as one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/element.h"

namespace weft {

// Endpoint numbers from here on name groups: an address there is the same local address at every member.
constexpr std::uint16_t first_group = 0xfc00;

struct SwitchGroup {
    std::uint16_t id = 0;                // endpoint number of its addresses, from first_group on
    std::vector<std::uint16_t> members;  // endpoints, in the order in which their operands are combined
    ElementType type = ElementType::fp32;
    ReduceOp op = ReduceOp::sum;
};

}  // namespace weft
