// Compares the contents of memory at the end with the result that the operation requires, and checks that every rank waits for
// what others write to its output before it ends.
#pragma once

#include "collectives/schedule/layout.h"
#include "collectives/schedule/verification/contribution.h"
#include "collectives/schedule/verification/presence.h"
#include "collectives/schedule/verification/symbolic_memory.h"
#include "collectives/schedule/verification/verify_log.h"

namespace weft {

// All to be called behind the last step.
void check_end_state(const Schedule& schedule, const Layout& layout, SymbolicMemory& memory, Contributions& values,
    VerifyLog& log);
// Only for outputs that end right: check_end_state() names the others.
void check_ends(const Schedule& schedule, const Numbering& numbering, const Presence& presence, SymbolicMemory& memory,
    bool without_relaxed, VerifyLog& log);
// A barrier: the end of every rank comes after a step of every other.
void check_barrier(const Schedule& schedule, const Presence& presence, VerifyLog& log);

}  // namespace weft
