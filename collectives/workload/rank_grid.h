// The coordinates of the ranks of a trace set, and their process groups.
#pragma once

#include <string>
#include <vector>

#include "collectives/chakra/groups.h"
#include "collectives/workload/options.h"

namespace weft::workload {

enum class GroupKind : std::uint8_t { tensor, context, data, expert, expert_data, embedding };

struct Coordinates {
    std::uint32_t tensor = 0;
    std::uint32_t context = 0;
    std::uint32_t data = 0;
    std::uint32_t pipeline = 0;
};

// A group of a rank. With one member it has no name and nothing is sent.
struct Membership {
    std::string name;  // number of the process group
    std::vector<std::uint32_t> ranks;

    std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
};

class RankGrid {
public:
    // `first`: number of the first rank.
    explicit RankGrid(const Parallel& parallel, std::uint32_t first = 0);

    Coordinates coordinates(std::uint32_t rank) const;
    std::uint32_t rank(const Coordinates& at) const;
    // The members that differ from rank `of` along the kind's dimensions: data holds data and context, expert_data what of it has
    // the same experts, embedding the first and the last stage.
    Membership group(GroupKind kind, std::uint32_t of) const;

    // Numbers from `base` on.
    void number_groups(std::uint64_t base = 1);
    const chakra::GroupDefinitions& groups() const { return groups_; }

private:
    std::vector<std::uint32_t> members(GroupKind kind, std::uint32_t of) const;

    Parallel parallel_;
    std::uint32_t first_;
    chakra::GroupDefinitions groups_;
    std::vector<std::vector<std::string>> names_;  // by kind and rank
};

}  // namespace weft::workload
