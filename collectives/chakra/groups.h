// Process groups: which ranks a collective spans. Definitions come from a group file for all ranks and
// from metadata nodes of a rank's own trace; the later one of the same number wins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

// Group number -> ranks in the order of the definition; no ranks = all ranks.
using GroupDefinitions = std::map<std::uint64_t, std::vector<std::uint32_t>>;

// {"1": [0, 1], ...}; numbers above 0. Throws InputError.
GroupDefinitions read_group_file(const std::string& path);

// Adds what the text of a metadata node's inputs.values defines ("" and "[]" define nothing). Entries
// whose name is no number cannot be referred to and are passed over. Returns what is wrong with the
// text, or nothing.
std::optional<std::string> add_groups_of_metadata(const std::string& inputs, GroupDefinitions& groups);

// The groups that one rank's trace may mention.
class GroupTable {
public:
    GroupTable() = default;
    GroupTable(std::uint32_t ranks, GroupDefinitions definitions);

    // 0 for "" and "0"; nothing when the name is no number.
    static std::optional<std::uint64_t> number_of(const std::string& group);

    // The ranks of a node's group in order, or null when the group is not defined.
    const std::vector<std::uint32_t>* members(const std::string& group) const;
    const std::vector<std::uint32_t>* members(std::uint64_t number) const;

    std::vector<std::uint64_t> numbers() const;

private:
    std::vector<std::uint32_t> all_;
    GroupDefinitions definitions_;
};

}  // namespace weft::chakra
