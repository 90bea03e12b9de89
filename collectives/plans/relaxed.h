// Signals that order nothing: what a plan does without what its relaxed signals and waits seem to promise.
#pragma once

#include <vector>

#include "collectives/schedule/order.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// The schedule with its relaxed signals and waits as nops, and with them the steps that they go with: the k-th signal of a
// semaphore and its k-th wait order data only if neither is relaxed. A semaphore that several threads signal or wait on, and
// not all of them relaxed, is left as it is.
Schedule without_relaxed(const Schedule& schedule, const std::vector<StepAt>& relaxed);

}  // namespace weft
