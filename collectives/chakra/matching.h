// The facts that must agree between ranks, as sums and hashes whose size does not depend on the trace's length.
// They say that something differs; what differs is found by reading the ranks concerned again.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

// Sends and receives per (source, destination): equal as multisets of (tag, size) or not.
class TransferBalance {
public:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;

    void add(std::uint32_t source, std::uint32_t destination, const Node& transfer);
    std::vector<Pair> unbalanced() const;

private:
    struct Sums {
        std::uint64_t first = 0;
        std::uint64_t second = 0;
    };
    std::map<Pair, Sums> sums_;
};

// The collectives of one rank in one group, in order.
struct CollectiveDigest {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::uint64_t second = 0;

    void add(const Node& collective);
    bool operator==(const CollectiveDigest& other) const
    {
        return count == other.count && first == other.first && second == other.second;
    }
    bool operator!=(const CollectiveDigest& other) const { return !(*this == other); }
};

}  // namespace weft::chakra
