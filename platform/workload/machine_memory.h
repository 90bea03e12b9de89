// Memory that this machine has for a run.
#pragma once

#include <cstdint>

namespace weft {

struct MachineMemory {
    std::uint64_t total = 0;      // bytes; 0: not known
    std::uint64_t available = 0;  // bytes that can be taken now
    bool asked = false;           // not the machine's: a limit that the user set
};

// Of /proc/meminfo, and of the control group of the process where that has less.
MachineMemory machine_memory();

}  // namespace weft
