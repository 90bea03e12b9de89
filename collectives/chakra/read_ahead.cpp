#include "collectives/chakra/read_ahead.h"

#include <algorithm>

namespace weft::chakra {

// The number of blocks for ids above all so far.
std::size_t ReadAhead::block_of(std::uint64_t id) const
{
    return static_cast<std::size_t>(std::lower_bound(highest_.begin(), highest_.end(), id) - highest_.begin());
}

void ReadAhead::add(const Node& node)
{
    if (nodes_ % nodes_of_a_block_ == 0) {
        highest_.push_back(highest_.empty() ? 0 : highest_.back());
        for (auto& needed : needed_) needed.push_back(0);
    }
    highest_.back() = std::max(highest_.back(), node.id);
    ++nodes_;
    require(node, false);
    require(node, true);
}

void ReadAhead::require(const Node& node, bool control)
{
    bool any = false;
    std::size_t last = 0;
    const auto look_at = [&](const std::vector<std::uint64_t>& parents) {
        for (const std::uint64_t parent : parents) {
            any = true;
            last = std::max(last, block_of(parent));
        }
    };
    look_at(node.data_deps);
    if (control) look_at(node.ctrl_deps);
    const std::size_t kind = control ? 1 : 0;
    if (!any)
        at_start_[kind] = nodes_;
    else if (last < highest_.size())  // otherwise a parent comes later in the file than the node
        needed_[kind][last] = nodes_;
}

void ReadAhead::close()
{
    for (std::size_t kind = 0; kind < needed_.size(); ++kind) {
        std::uint64_t most = at_start_[kind];
        for (std::uint64_t& needed : needed_[kind]) needed = most = std::max(most, needed);
    }
}

std::uint64_t ReadAhead::after(std::uint64_t id, bool control) const
{
    const std::size_t block = block_of(id);
    return block < highest_.size() ? needed_[control ? 1 : 0][block] : nodes_;
}

}  // namespace weft::chakra
