// A training step of a transformer: microbatches through a pipeline of stages, the gradients' reduction, the optimizer.
#pragma once

#include <functional>

#include "collectives/workload/rank_grid.h"
#include "collectives/workload/rank_trace.h"

namespace weft::workload {

RankTrace training_trace(const Transformer& model, const Options& options, const RankGrid& grid, std::uint32_t rank);

}  // namespace weft::workload
