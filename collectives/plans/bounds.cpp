#include "collectives/plans/bounds.h"

namespace weft {

namespace {

enum class Rounded : std::uint8_t { down, up };

// times (n - 1) / n of the message; no product of `bytes` and `ranks` is formed, which may not fit.
std::uint64_t of_others(std::uint64_t times, std::uint64_t bytes, std::uint64_t ranks, Rounded rounded)
{
    const std::uint64_t share = times * (ranks - 1);
    const std::uint64_t rest = bytes % ranks * share + (rounded == Rounded::up ? ranks - 1 : 0);
    return bytes / ranks * share + rest / ranks;
}

}  // namespace

std::optional<LowerBound> lower_bound(CollectiveOp op, std::uint32_t ranks, std::uint64_t bytes)
{
    const bool alone = ranks < 2;
    // Two ranks exchange all that they have; with more, data pass a rank in between.
    const std::uint32_t relayed = ranks > 2 ? 2 : 1;
    switch (op) {
    case CollectiveOp::all_reduce:
        return alone ? LowerBound{} : LowerBound{1, relayed, of_others(2, bytes, ranks, Rounded::up)};
    // The rank with the shortest share gets or sends most.
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_gather:
    case CollectiveOp::all_to_all:
        return alone ? LowerBound{} : LowerBound{1, 1, of_others(1, bytes, ranks, Rounded::up)};
    // The share of the root may be the longest.
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
        return alone ? LowerBound{} : LowerBound{1, 1, of_others(1, bytes, ranks, Rounded::down)};
    case CollectiveOp::broadcast:
    case CollectiveOp::reduce: return alone ? LowerBound{} : LowerBound{1, relayed, bytes};
    case CollectiveOp::barrier:
    case CollectiveOp::send_receive:
    case CollectiveOp::custom: break;
    }
    return std::nullopt;
}

}  // namespace weft
