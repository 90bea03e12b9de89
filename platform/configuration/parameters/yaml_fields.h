// Checked access to the entries of one YAML mapping of a configuration file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infragraph/findings.h"
#include "infragraph/yaml_tree.h"

namespace weft {

struct YamlField {
    std::string key;
    YamlTree::Id value = 0;
    int line = 0;
};

// The state of a reader of a configuration file.
struct YamlSource {
    const YamlTree& tree;
    Findings& findings;
};

// The entries in document order. Reports what is no mapping, keys that occur twice, and keys that are
// not `known` with the nearest one (an empty `known` admits every key). `what` names the mapping.
std::vector<YamlField> yaml_fields(const YamlSource& source, YamlTree::Id id, const std::string& what,
    const std::vector<std::string>& known);

// The items of a list; a scalar counts as a list of one. Reports mappings.
std::vector<YamlTree::Id> yaml_items(const YamlSource& source, const YamlField& field);

// The characters of a scalar. Reports null, lists and mappings.
std::optional<std::string> yaml_text(const YamlSource& source, YamlTree::Id id, const std::string& what);

inline std::optional<std::string> yaml_text(const YamlSource& source, const YamlField& field)
{
    return yaml_text(source, field.value, "'" + field.key + "'");
}

std::optional<bool> yaml_flag(const YamlSource& source, const YamlField& field);
std::optional<std::uint64_t> yaml_number(const YamlSource& source, const YamlField& field);
// The same up to 2^64 - 1, for what is not counted with.
std::optional<std::uint64_t> yaml_seed(const YamlSource& source, const YamlField& field);

}  // namespace weft
