#include "infragraph/fields.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_set>

namespace weft {

namespace {

bool in_name_class(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x80 &&
            (std::isalnum(byte) != 0 || std::isspace(byte) != 0 ||
                std::string_view("-_()><[]").find(c) != std::string_view::npos);
    });
}

}  // namespace

Fields::Fields(const YamlTree& tree, YamlTree::Id id, const char* what, Findings& findings)
    : tree_(tree), id_(id), what_(what), findings_(findings), is_mapping_(tree.kind(id) == YamlTree::Kind::mapping)
{
    if (!is_mapping_) {
        findings_.refuse(line(), std::string("the ") + what_ + " is " + tree_.describe(id_), "a mapping");
        return;
    }
    std::unordered_set<std::string_view> seen;
    const bool few = size() <= 16;
    for (std::uint32_t i = 0; i < size(); ++i) {
        bool repeated = false;
        if (few)
            for (std::uint32_t k = 0; k < i; ++k) repeated = repeated || key(k) == key(i);
        else
            repeated = !seen.insert(key(i)).second;
        if (repeated)
            findings_.doubt(tree_.line(tree_.key(id_, i)), "the key " + in_quotes(key(i)) + " is given twice",
                "one value for each key", "the last value is used");
    }
}

std::optional<YamlTree::Id> Fields::get(const char* key_name, Need need)
{
    known_.push_back(key_name);
    for (std::uint32_t i = size(); i-- > 0;)
        if (key(i) == key_name) {
            const YamlTree::Id found = value(i);
            if (tree_.kind(found) != YamlTree::Kind::null) return found;
            if (need == Need::optional)
                findings_.doubt(tree_.line(found), std::string(what_) + " field '" + key_name + "' has no value",
                    "a value, or no such key", "read as absent");
            break;
        }
    if (need == Need::required && is_mapping_)
        findings_.refuse(line(), std::string(what_) + " without '" + key_name + "'",
            std::string("the required field '") + key_name + "'");
    return std::nullopt;
}

std::optional<std::string> Fields::text(const char* key_name, Need need)
{
    const auto found = get(key_name, need);
    if (!found) return std::nullopt;
    if (tree_.kind(*found) != YamlTree::Kind::text) {
        findings_.refuse(tree_.line(*found),
            std::string(what_) + " field '" + key_name + "' is " + tree_.describe(*found),
            "text (in quotes where it looks like something else)");
        return std::nullopt;
    }
    return std::string(tree_.text(*found));
}

std::optional<std::string> Fields::name(const char* key_name, Need need)
{
    auto found = text(key_name, need);
    if (found && !in_name_class(*found))
        findings_.refuse(tree_.line(*get(key_name)),
            std::string(what_) + " name " + in_quotes(*found) + " is not allowed",
            "one or more of letters, digits, whitespace and - _ ( ) > < [ ]");
    else if (found && found->find_first_of("\n\r\v\f") != std::string::npos)
        findings_.doubt(tree_.line(*get(key_name)),
            std::string(what_) + " name " + in_quotes(*found) + " has a line break",
            "a name on one line: tables of results have a row for each", "kept");
    return found;
}

std::optional<std::int32_t> Fields::int32(const char* key_name, Need need)
{
    const auto found = get(key_name, need);
    if (!found) return std::nullopt;
    const std::string_view digits = tree_.text_or_empty(*found);
    std::int32_t value = 0;
    const char* first = digits.data() + (!digits.empty() && digits.front() == '+' ? 1 : 0);
    const char* last = digits.data() + digits.size();
    const auto result = std::from_chars(first, last, value);
    if (tree_.kind(*found) != YamlTree::Kind::integer || result.ec != std::errc() || result.ptr != last) {
        findings_.refuse(tree_.line(*found),
            std::string(what_) + " field '" + key_name + "' is " + tree_.describe(*found),
            "a decimal integer of 32 bits without quotes");
        return std::nullopt;
    }
    return value;
}

std::vector<YamlTree::Id> Fields::list(const char* key_name, Need need, bool* broken)
{
    std::vector<YamlTree::Id> items;
    const auto found = get(key_name, need);
    const bool is_list = found && tree_.kind(*found) == YamlTree::Kind::sequence;
    if (broken != nullptr && !is_list && (found || need == Need::required)) *broken = true;
    if (!found) return items;
    if (!is_list) {
        findings_.refuse(tree_.line(*found),
            std::string(what_) + " field '" + key_name + "' is " + tree_.describe(*found), "a list");
        return items;
    }
    items.reserve(tree_.size(*found));
    for (std::uint32_t i = 0; i < tree_.size(*found); ++i) items.push_back(tree_.item(*found, i));
    return items;
}

void Fields::finish()
{
    for (std::uint32_t i = 0; i < size(); ++i) {
        const std::string_view given = key(i);
        if (std::any_of(known_.begin(), known_.end(), [&](const char* known) { return given == known; })) continue;
        const YamlTree::Id id = tree_.key(id_, i);
        findings_.doubt(tree_.line(id),
            given.empty() ? std::string(what_) + " key is " + tree_.describe(id)
                          : std::string("unknown ") + what_ + " key " + in_quotes(given),
            findings_.nearest(std::string("a field of the ") + what_, given,
                [&] { return std::vector<std::string>(known_.begin(), known_.end()); }),
            "ignored");
    }
}

}  // namespace weft
