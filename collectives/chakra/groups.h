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

// Dimensions that a node leaves out (involved_dim) make a smaller group of its group: the ranks of it that share those
// coordinates with the own rank. Its number is that of the group with a bit for each such dimension above.
constexpr unsigned left_out_shift = 60;
constexpr std::uint32_t most_dimensions = 4;

// Dimensions of `sizes` that are left out, a bit each; those of size 1 make no difference.
std::uint64_t left_out(const Node& node, const std::vector<std::uint32_t>& sizes);

// Group number -> ranks in the order of the definition; no ranks = all ranks.
using GroupDefinitions = std::map<std::uint64_t, std::vector<std::uint32_t>>;

// {"1": [0, 1], ...}; numbers above 0. Throws InputError, also for a rank of `ranks` or more (0: any is taken), whether or not a node
// uses the group.
GroupDefinitions read_group_file(const std::string& path, std::uint32_t ranks = 0);

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

    // Nodes of `rank` may leave out dimensions; narrow() defines the group that is left of one, if that is defined.
    void set_dimensions(std::uint32_t rank, std::vector<std::uint32_t> sizes);
    void narrow(std::uint64_t number, std::uint64_t mask);

    // 0 for "" and "0"; nothing when the name is no number.
    static std::optional<std::uint64_t> number_of(const std::string& group);

    // The ranks of a node's group in order, or null when the group is not defined.
    const std::vector<std::uint32_t>* members(const std::string& group) const;
    const std::vector<std::uint32_t>* members(std::uint64_t number) const;

    // For the group of a node, reduced if the node leaves out dimensions.
    std::optional<std::uint64_t> number_of(const Node& node) const;
    const std::vector<std::uint32_t>* members(const Node& node) const;

    // Those that are defined.
    std::vector<std::uint64_t> numbers() const;
    static std::string text_of(std::uint64_t number);  // "2", "2 without dimension 1"

private:
    Ranks all_;
    std::shared_ptr<const GroupDefinitions> file_;
    GroupDefinitions own_;
    GroupDefinitions narrowed_;
    std::uint32_t rank_ = 0;
    std::vector<std::uint32_t> sizes_;  // empty: dimensions are not known
};

}  // namespace weft::chakra
