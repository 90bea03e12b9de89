#include "collectives/schedule/verification/end_state.h"

namespace weft {

ValueId demanded_value(const Schedule& schedule, std::uint32_t rank, std::uint32_t chunk, Contributions& values)
{
    const std::uint32_t n = schedule.size();
    const std::uint32_t k = schedule.chunks_per_rank();
    switch (schedule.op) {
    case CollectiveOp::all_reduce: return values.sum_over_ranks(n, chunk);
    case CollectiveOp::reduce: return rank == schedule.root ? values.sum_over_ranks(n, chunk) : nothing_written;
    case CollectiveOp::reduce_scatter: return values.sum_over_ranks(n, rank * k + chunk);
    case CollectiveOp::all_gather: return values.input(chunk / k, chunk % k);
    case CollectiveOp::gather: return rank == schedule.root ? values.input(chunk / k, chunk % k) : nothing_written;
    case CollectiveOp::all_to_all: return values.input(chunk / k, rank * k + chunk % k);
    case CollectiveOp::broadcast: return values.input(schedule.root, chunk);
    case CollectiveOp::scatter: return values.input(schedule.root, rank * k + chunk);
    case CollectiveOp::send_receive: return rank == 1 ? values.input(0, chunk) : nothing_written;
    case CollectiveOp::barrier:
    case CollectiveOp::custom: return nothing_written;
    }
    return nothing_written;
}

}  // namespace weft
