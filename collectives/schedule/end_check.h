// Compares the contents of memory at the end with the result that the operation requires.
#pragma once

#include "collectives/schedule/contribution.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/symbolic_memory.h"
#include "collectives/schedule/verify_log.h"

namespace weft {

void check_end_state(const Schedule& schedule, const Layout& layout, SymbolicMemory& memory, Contributions& values,
    VerifyLog& log);

}  // namespace weft
