// Signals against the waits for them.
#pragma once

#include "collectives/schedule/order.h"
#include "collectives/schedule/verification/verify_log.h"

namespace weft {

// By rank and semaphore: signals come from the ranks that are waited for. Waits without a signal are blocked steps.
// Signals without a wait harm nothing in this run: a remark where the schedule may have them.
void check_signals(const Schedule& schedule, const Numbering& numbering, VerifyLog& log);

}  // namespace weft
