// Typed, checked access to the fields of one mapping of a document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infragraph/findings.h"
#include "infragraph/yaml_tree.h"

namespace weft {

// Each getter reports what is wrong with its field. `finish` reports keys that nobody asked for.
class Fields {
public:
    enum class Need : std::uint8_t { optional, required };

    // `what` names the object in messages: "component", "device", ...
    Fields(const YamlTree& tree, YamlTree::Id id, const char* what, Findings& findings);

    int line() const { return tree_.line(id_); }

    // The value of a key, if present; counts the key as known.
    std::optional<YamlTree::Id> get(const char* key, Need need = Need::optional);

    std::optional<std::string> text(const char* key, Need need = Need::optional);
    // A text that must also match the character class of names.
    std::optional<std::string> name(const char* key, Need need = Need::optional);
    std::optional<std::int32_t> int32(const char* key, Need need = Need::optional);
    // The items of a list; none when absent or not a list, which sets `broken` if that is refused.
    std::vector<YamlTree::Id> list(const char* key, Need need = Need::optional, bool* broken = nullptr);

    // Entries in document order, for choices, where the order decides.
    std::uint32_t size() const { return is_mapping_ ? tree_.size(id_) : 0; }
    std::string_view key(std::uint32_t i) const { return tree_.text_or_empty(tree_.key(id_, i)); }
    YamlTree::Id value(std::uint32_t i) const { return tree_.value(id_, i); }

    // Declares a key known that the caller looks at by itself.
    void know(const char* key) { known_.push_back(key); }

    void finish();

private:
    const YamlTree& tree_;
    YamlTree::Id id_;
    const char* what_;
    Findings& findings_;
    bool is_mapping_;
    std::vector<const char*> known_;
};

}  // namespace weft
