// How far a file must be read so that no node is late: with every node read whose parents may have finished, what starts
// when does not depend on the order of the nodes in the file. A few bytes per block of nodes, whatever their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

class ReadAhead {
public:
    explicit ReadAhead(std::size_t nodes_of_a_block = 256) : nodes_of_a_block_(nodes_of_a_block) {}

    // The nodes of a file in its order, once; then close().
    void add(const Node& node);
    void close();

    // Nodes to have read, from the first of the file, before any has finished: all without parents are among them.
    // `control`: control dependencies count beside data dependencies.
    std::uint64_t at_start(bool control) const { return at_start_[control ? 1 : 0]; }
    // The same once this node has finished. Where several have, the highest count holds.
    std::uint64_t after(std::uint64_t id, bool control) const;

private:
    // Whether the file holds the parent before this place, and the block that it is filed under: the first one that ends with an id
    // as high. For ascending ids that is its block, else an earlier one, so that more is read than needed.
    std::size_t block_of(std::uint64_t id) const;
    void require(const Node& node, bool control);

    std::size_t nodes_of_a_block_;
    std::uint64_t nodes_ = 0;
    std::vector<std::uint64_t> highest_;                // by block: id up to its end
    std::array<std::vector<std::uint64_t>, 2> needed_;  // without and with control, by block of the last parent
    std::array<std::uint64_t, 2> at_start_{};
};

}  // namespace weft::chakra
