// Process groups: which ranks a collective spans. Definitions come from a group file for all ranks and
// from metadata nodes of a rank's own trace; the later one of the same number wins.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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

// The groups that one rank's trace may mention. What is the same on every rank is shared: thousands of
// ranks must not hold thousands of copies.
class GroupTable {
public:
    using Ranks = std::shared_ptr<const std::vector<std::uint32_t>>;
    // All ranks in order, the definitions of the group file, and those of the rank's own trace, which win.
    GroupTable(Ranks all, std::shared_ptr<const GroupDefinitions> file, GroupDefinitions own);
    static Ranks first_ranks(std::uint32_t count);

    // 0 for "" and "0"; nothing when the name is no number.
    static std::optional<std::uint64_t> number_of(const std::string& group);

    // The ranks of a node's group in order, or null when the group is not defined.
    const std::vector<std::uint32_t>* members(const std::string& group) const;
    const std::vector<std::uint32_t>* members(std::uint64_t number) const;

    std::vector<std::uint64_t> numbers() const;

private:
    Ranks all_;
    std::shared_ptr<const GroupDefinitions> file_;
    GroupDefinitions own_;
};

}  // namespace weft::chakra
