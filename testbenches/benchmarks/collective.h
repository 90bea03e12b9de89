// The whole job as a workload: an all-reduce over eight GPUs, run by the `weft` command.
#pragma once

#include <string>

#include "testbenches/benchmarks/delay_ring.h"

namespace weft::bench {

// Ring all-reduce of `size` ("16MiB") on examples/dgx_h100, in a process of its own. All zero when it fails.
Measured eight_gpu_all_reduce(const std::string& size, bool data_on);

}  // namespace weft::bench
