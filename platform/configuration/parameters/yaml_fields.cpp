#include "platform/configuration/parameters/yaml_fields.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "base/nearest.h"

namespace weft {

namespace {

std::string listed(const std::vector<std::string>& names)
{
    std::string out = "one of ";
    for (std::size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : ", ") + names[i];
    return out;
}

}  // namespace

std::vector<YamlField> yaml_fields(const YamlSource& source, YamlTree::Id id, const std::string& what,
    const std::vector<std::string>& known)
{
    const YamlTree& tree = source.tree;
    std::vector<YamlField> fields;
    if (tree.kind(id) != YamlTree::Kind::mapping) {
        source.findings.refuse(tree.line(id), what + " is " + tree.describe(id), "a mapping of keys to values");
        return fields;
    }
    std::set<std::string> seen;
    for (std::uint32_t i = 0; i < tree.size(id); ++i) {
        const YamlTree::Id key = tree.key(id, i);
        YamlField field{std::string(tree.text_or_empty(key)), tree.value(id, i), tree.line(key)};
        if (field.key.empty()) {
            source.findings.refuse(field.line, what + " has a key that is " + tree.describe(key), "a name");
            continue;
        }
        if (!seen.insert(field.key).second) {
            source.findings.refuse(field.line, "key " + in_quotes(field.key) + " of " + what + " occurs twice",
                "each key once");
            continue;
        }
        if (!known.empty() && std::find(known.begin(), known.end(), field.key) == known.end()) {
            constexpr std::size_t longest = 64;  // the distance is quadratic
            const std::string nearest = field.key.size() > longest ? "" : nearest_name(field.key, known);
            source.findings.refuse(field.line, "unknown key " + in_quotes(field.key) + " in " + what,
                nearest.empty() ? listed(known) : in_quotes(nearest));
            continue;
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

std::vector<YamlTree::Id> yaml_items(const YamlSource& source, const YamlField& field)
{
    const YamlTree& tree = source.tree;
    std::vector<YamlTree::Id> items;
    switch (tree.kind(field.value)) {
    case YamlTree::Kind::sequence:
        for (std::uint32_t i = 0; i < tree.size(field.value); ++i) items.push_back(tree.item(field.value, i));
        break;
    case YamlTree::Kind::null:
    case YamlTree::Kind::mapping:
        source.findings.refuse(field.line, in_quotes(field.key) + " is " + tree.describe(field.value), "a list");
        break;
    default: items.push_back(field.value);
    }
    return items;
}

std::optional<std::string> yaml_text(const YamlSource& source, YamlTree::Id id, const std::string& what)
{
    const YamlTree& tree = source.tree;
    const std::string_view text = tree.text_or_empty(id);
    if (text.empty()) {
        source.findings.refuse(tree.line(id), what + " is " + tree.describe(id),
            tree.kind(id) == YamlTree::Kind::text ? "at least one character" : "a text");
        return std::nullopt;
    }
    return std::string(text);
}

std::optional<bool> yaml_flag(const YamlSource& source, const YamlField& field)
{
    const std::string_view text = source.tree.text_or_empty(field.value);
    if (text == "true") return true;
    if (text == "false") return false;
    source.findings.refuse(field.line, in_quotes(field.key) + " is " + source.tree.describe(field.value),
        "true or false");
    return std::nullopt;
}

std::optional<std::uint64_t> yaml_number(const YamlSource& source, const YamlField& field)
{
    const std::string_view text = source.tree.text_or_empty(field.value);
    std::uint64_t number = 0;
    bool good = !text.empty() && text.size() <= 18;
    for (const char c : text) {
        good = good && c >= '0' && c <= '9';
        if (!good) break;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (good) return number;
    source.findings.refuse(field.line, in_quotes(field.key) + " is " + source.tree.describe(field.value),
        "a whole number of at most 18 digits");
    return std::nullopt;
}

std::optional<std::uint64_t> yaml_seed(const YamlSource& source, const YamlField& field)
{
    const std::string_view text = source.tree.text_or_empty(field.value);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
    source.findings.refuse(field.line, in_quotes(field.key) + " is " + source.tree.describe(field.value),
        "a whole number from 0 to 18446744073709551615");
    return std::nullopt;
}

}  // namespace weft
