// Parameters and interface of a switch with a unit for operations on groups inside (weft_group_switch.sv).
//
// Pins are those of the switch (switch_pins.h) with its outer ports; bit `ports` of SwitchIn::ports sends a line to the unit.
#pragma once

#include <cstdint>
#include <vector>

#include "rtl/common/clocked_block.h"
#include "rtl/reduction/reduction_pins.h"
#include "rtl/switch/switch_pins.h"

namespace weft {

struct GroupSwitchParameters {
    SwitchBlockParameters outside;  // ports up to 63, traversal 0, width 640; `credits` of the outer ports
    unsigned groups = 4;            // numbers 0xfc00 and up, 1 to 1024
    unsigned contexts = 4;          // operations in progress, 1 to 64
    unsigned slots = 4;             // requests that wait in the unit, 1 to 64 and to outside.max_credits
    unsigned vc_read = 0;
    unsigned vc_write = 1;
    unsigned vc_group = 2;
    unsigned vc_response = 3;

    // Throws InputError.
    void check() const;
    SwitchBlockParameters core() const;  // with the unit's port, and without the input pipelines
    ReductionParameters unit() const;
};

// One group, as the configuration pins take it.
struct GroupEntry {
    std::uint16_t number = 0;              // beyond 0xfc00
    std::uint8_t type = 0;                 // ElementType
    std::uint8_t op = 0;                   // ReduceOp
    std::vector<std::uint8_t> members;     // outer ports in the order of combination
    std::vector<std::uint16_t> endpoints;  // behind them
};

class GroupSwitchBlock : public ClockedBlock<SwitchIn, SwitchOut> {
public:
    // On the configuration pins in the next clock that has room; no operation of the group is in progress.
    virtual void set_group(const GroupEntry& entry) = 0;
};

}  // namespace weft
