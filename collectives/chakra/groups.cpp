#include "collectives/chakra/groups.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/diagnostic.h"
#include "base/text_file.h"
#include "collectives/chakra/json_text.h"

namespace weft::chakra {

namespace {

using nlohmann::json;

constexpr std::size_t largest_group_file = std::size_t{64} << 20;

// Distinct ranks, or what is wrong with them.
std::optional<std::string> ranks_from(const json& list, std::vector<std::uint32_t>& ranks)
{
    if (!list.is_array()) return "its ranks are not an array";
    std::set<std::uint32_t> seen;
    for (const json& entry : list) {
        if (!entry.is_number_unsigned() || entry.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max())
            return "a rank of it is " + brief_text(entry);
        const auto rank = static_cast<std::uint32_t>(entry.get<std::uint64_t>());
        if (!seen.insert(rank).second) return "it names rank " + std::to_string(rank) + " twice";
        ranks.push_back(rank);
    }
    return std::nullopt;
}

int line_at(const std::string& text, std::size_t byte)
{
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

int line_of_key(const std::string& text, const std::string& key)
{
    const std::size_t at = text.find('"' + key + '"');
    return at == std::string::npos ? 0 : line_at(text, at);
}

}  // namespace

GroupDefinitions read_group_file(const std::string& path, std::uint32_t ranks_of_set)
{
    constexpr const char* expected = R"({"1": [0, 1], ...}: group numbers above 0, each with its ranks)";
    const std::string text = read_text_file(path, largest_group_file);
    json document;
    std::string repeated;
    try {
        document = json::parse(text, note_repeated_key(repeated));
    } catch (const json::parse_error& error) {
        throw InputError(path, line_at(text, error.byte), "not valid JSON", expected);
    } catch (const json::exception&) {  // a number beyond every type
        throw InputError(path, 0, "a number is out of range", expected);
    }
    if (!repeated.empty())
        throw InputError(path, line_of_key(text, repeated), "key \"" + printable(repeated) + "\" twice", "once");
    if (!document.is_object()) throw InputError(path, 0, "is not a JSON object", expected);
    GroupDefinitions groups;
    for (const auto& [key, list] : document.items()) {
        const std::optional<std::uint64_t> number = GroupTable::number_of(key);
        std::optional<std::string> problem;
        std::vector<std::uint32_t> ranks;
        if (!number || *number == 0)
            problem = "its name is not a number above 0";
        else
            problem = ranks_from(list, ranks);
        if (!problem && ranks.empty()) problem = "it has no ranks";
        if (!problem && groups.count(*number) != 0) problem = "it is defined twice";
        const auto most = std::max_element(ranks.begin(), ranks.end());
        if (!problem && ranks_of_set > 0 && *most >= ranks_of_set)
            throw InputError(path, line_of_key(text, key),
                "group \"" + printable(key) + "\" names rank " + std::to_string(*most) + ", which has no trace",
                "ranks from 0 to " + std::to_string(ranks_of_set - 1));
        if (problem)
            throw InputError(path, line_of_key(text, key), "group \"" + printable(key) + "\": " + *problem, expected);
        groups[*number] = std::move(ranks);
    }
    return groups;
}

std::optional<std::string> add_groups_of_metadata(const std::string& inputs, GroupDefinitions& groups)
{
    if (inputs.empty() || inputs == "[]") return std::nullopt;
    // The text of a Python list that holds one text: ['...'].
    constexpr std::size_t wrapping = 2;
    const bool wrapped = inputs.size() >= 2 * wrapping && inputs[0] == '[' && inputs.back() == ']' &&
        (inputs[1] == '\'' || inputs[1] == '"') && inputs[inputs.size() - 2] == inputs[1];
    if (!wrapped) return "inputs.values is " + printable(inputs, 40);
    const json list = json::parse(inputs.substr(wrapping, inputs.size() - 2 * wrapping), nullptr, false);
    if (!list.is_array()) return "inputs.values holds no JSON array: " + printable(inputs, 40);
    for (const json& entry : list) {
        if (!entry.is_object() || !entry.contains("pg_name") || !entry["pg_name"].is_string() ||
            !entry.contains("ranks"))
            return "inputs.values holds an entry without pg_name and ranks";
        const std::string name = entry["pg_name"].get<std::string>();
        std::vector<std::uint32_t> ranks;
        if (const auto problem = ranks_from(entry["ranks"], ranks))
            return "inputs.values: group \"" + printable(name) + "\": " + *problem;
        const std::optional<std::uint64_t> number = GroupTable::number_of(name);
        if (number && *number != 0) groups[*number] = std::move(ranks);
    }
    return std::nullopt;
}

GroupTable::GroupTable(Ranks all, std::shared_ptr<const GroupDefinitions> file, GroupDefinitions own)
    : all_(std::move(all)), file_(std::move(file)), own_(std::move(own))
{
}

GroupTable::Ranks GroupTable::first_ranks(std::uint32_t count)
{
    auto ranks = std::make_shared<std::vector<std::uint32_t>>(count);
    std::iota(ranks->begin(), ranks->end(), 0U);
    return ranks;
}

std::optional<std::uint64_t> GroupTable::number_of(const std::string& group)
{
    constexpr std::size_t most_digits = 18;
    if (group.empty()) return 0;
    if (group.size() > most_digits || group.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    return std::stoull(group);
}

const std::vector<std::uint32_t>* GroupTable::members(const std::string& group) const
{
    const std::optional<std::uint64_t> number = number_of(group);
    return number ? members(*number) : nullptr;
}

const std::vector<std::uint32_t>* GroupTable::members(std::uint64_t number) const
{
    if (number == 0) return all_.get();
    if (number >> left_out_shift != 0) {
        const auto found = narrowed_.find(number);
        return found == narrowed_.end() ? nullptr : &found->second;
    }
    for (const GroupDefinitions* definitions : {&own_, file_.get()}) {
        const auto found = definitions->find(number);
        if (found != definitions->end()) return found->second.empty() ? all_.get() : &found->second;
    }
    return nullptr;
}

void GroupTable::set_dimensions(std::uint32_t rank, std::vector<std::uint32_t> sizes)
{
    rank_ = rank;
    sizes_ = std::move(sizes);
}

void GroupTable::narrow(std::uint64_t number, std::uint64_t mask)
{
    const std::vector<std::uint32_t>* whole = members(number);
    if (whole == nullptr || mask == 0) return;
    std::vector<std::uint32_t>& ranks = narrowed_[number | mask << left_out_shift];
    ranks.clear();
    const auto shares_coordinates = [&](std::uint32_t rank) {
        std::uint32_t stride = 1;
        for (std::size_t d = 0; d < sizes_.size(); ++d) {
            if ((mask >> d & 1) != 0 && rank / stride % sizes_[d] != rank_ / stride % sizes_[d]) return false;
            stride *= sizes_[d];
        }
        return true;
    };
    std::copy_if(whole->begin(), whole->end(), std::back_inserter(ranks), shares_coordinates);
}

std::optional<std::uint64_t> GroupTable::number_of(const Node& node) const
{
    const std::optional<std::uint64_t> number = number_of(node.group);
    if (!number || sizes_.empty()) return number;
    return *number | left_out(node, sizes_) << left_out_shift;
}

const std::vector<std::uint32_t>* GroupTable::members(const Node& node) const
{
    const std::optional<std::uint64_t> number = number_of(node);
    return number ? members(*number) : nullptr;
}

std::string GroupTable::text_of(std::uint64_t number)
{
    const std::uint64_t mask = number >> left_out_shift;
    std::string text = std::to_string(number & ((std::uint64_t{1} << left_out_shift) - 1));
    for (unsigned d = 0; d < most_dimensions; ++d)
        if ((mask >> d & 1) != 0) text += " without dimension " + std::to_string(d);
    return text;
}

std::uint64_t left_out(const Node& node, const std::vector<std::uint32_t>& sizes)
{
    std::uint64_t mask = 0;
    const std::size_t count = std::min({node.involved_dim.size(), sizes.size(), std::size_t{most_dimensions}});
    for (std::size_t d = 0; d < count; ++d)
        if (!node.involved_dim[d] && sizes[d] > 1) mask |= std::uint64_t{1} << d;
    return mask;
}

std::vector<std::uint64_t> GroupTable::numbers() const
{
    std::set<std::uint64_t> numbers;
    for (const GroupDefinitions* definitions : {&own_, file_.get()})
        for (const auto& [number, ranks] : *definitions) numbers.insert(number);
    return {numbers.begin(), numbers.end()};
}

}  // namespace weft::chakra
