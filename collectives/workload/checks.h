// The check whether a model can be divided as requested. Each problem names the option and a permitted value.
#pragma once

#include "collectives/workload/model.h"
#include "collectives/workload/options.h"

namespace weft::workload {

// Throws InputError with all problems. `what` is the kind of workload: training, prefill, decode.
void require_divisible(const Transformer& model, const Options& options, const std::string& what);
void require_data_parallel(const Options& options, const std::string& what);

}  // namespace weft::workload
