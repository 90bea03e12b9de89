// Whether a model can be divided as asked. Each problem names the option and what would do.
#pragma once

#include "collectives/workload/model.h"
#include "collectives/workload/options.h"

namespace weft::workload {

// Throws InputError with all problems. `what` is the kind of workload: training, prefill, decode.
void require_divisible(const Transformer& model, const Options& options, const std::string& what);
void require_data_parallel(const Options& options, const std::string& what);

}  // namespace weft::workload
