// The facts that must agree between ranks, as sums and hashes whose size does not depend on the trace's length.
// They say that something differs; what differs is found by reading the ranks concerned again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

// Sends and receives per (source, destination): equal as multisets of (tag, size) or not.
class TransferBalance {
public:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;  // source, destination

    void add(const Pair& pair, const Node& transfer);
    std::vector<Pair> unbalanced() const;
    // Whether transfers of the pair so far have different sizes.
    bool several_sizes(const Pair& pair) const;

private:
    struct Sums {
        std::uint64_t first = 0;
        std::uint64_t second = 0;
        std::uint64_t size = 0;  // of the first transfer
        bool several = false;
    };
    std::map<Pair, Sums> sums_;
};

// The order of sends and receives of one rank, by pair of ranks: the sums of both sides are 0 if the k-th send of each tag
// has the size of the k-th receive. Pairs whose transfers all have one size need none of it.
class TransferOrder {
public:
    using Pair = TransferBalance::Pair;
    struct Sums {
        std::uint64_t first = 0;
        std::uint64_t second = 0;
    };

    void add(const Pair& pair, const Node& transfer);
    const std::map<Pair, Sums>& sums() const { return sums_; }
    // Pairs with several sizes have an entry for each tag until here. To be called when all transfers of the rank are added.
    void forget_tags() { issued_.clear(); }

private:
    std::map<Pair, Sums> sums_;
    std::map<std::pair<Pair, std::int64_t>, std::array<std::uint64_t, 2>> issued_;  // by tag: receives, sends
};

// Source and destination of a matchable send or receive of `rank`.
inline TransferBalance::Pair pair_of(const Node& transfer, std::uint32_t rank)
{
    return transfer.type == NodeType::send ? TransferBalance::Pair(rank, *transfer.dst)
                                           : TransferBalance::Pair(*transfer.src, rank);
}

// The collectives of one rank in one group, in order; with `priorities` also how many of each kind have each priority.
struct CollectiveDigest {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    std::uint64_t prior = 0;

    void add(const Node& collective, bool priorities);
    bool operator==(const CollectiveDigest& other) const
    {
        return count == other.count && first == other.first && second == other.second && prior == other.prior;
    }
    bool operator!=(const CollectiveDigest& other) const { return !(*this == other); }
};

}  // namespace weft::chakra
