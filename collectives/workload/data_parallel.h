// Training steps of models whose ranks do the same on data of their own: a recommendation model with its tables shared out,
// and a convolutional network.
#pragma once

#include "collectives/workload/rank_grid.h"
#include "collectives/workload/rank_trace.h"

namespace weft::workload {

RankTrace dlrm_trace(const Dlrm& model, const Options& options, const RankGrid& grid, std::uint32_t rank);
RankTrace cnn_trace(const Cnn& model, const Options& options, const RankGrid& grid, std::uint32_t rank);

}  // namespace weft::workload
