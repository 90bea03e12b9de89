#include "collectives/plans/bounds.h"

namespace weft {

std::optional<LowerBound> lower_bound(CollectiveOp op, std::uint32_t ranks, std::uint64_t bytes)
{
    if (ranks < 2) return LowerBound{};
    const std::uint64_t others = bytes / ranks * (ranks - 1) + bytes % ranks * (ranks - 1) / ranks;
    switch (op) {
    case CollectiveOp::all_reduce: return LowerBound{1, 2, 2 * others};
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_gather:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter: return LowerBound{1, 1, others};
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce: return LowerBound{1, ranks > 2 ? 2U : 1U, bytes};
    case CollectiveOp::barrier:
    case CollectiveOp::send_receive:
    case CollectiveOp::custom: break;
    }
    return std::nullopt;
}

}  // namespace weft
