#include "platform/applications/sweep/sweep_energy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

struct EnergyColumn {
    const char* name;
    const char* member;  // of "energy" in the JSON of a run
    const char* unit;
};

constexpr EnergyColumn known_columns[] = {{"energy.low", "low_J", "J"}, {"energy.high", "high_J", "J"},
    {"energy.low_power", "low_W", "W"}, {"energy.high_power", "high_W", "W"}};
constexpr const char* count_of_unknown = "energy.unknown";

const EnergyColumn* known_column(const std::string& column)
{
    const auto* found = std::find_if(std::begin(known_columns), std::end(known_columns),
        [&](const EnergyColumn& one) { return column == one.name; });
    return found == std::end(known_columns) ? nullptr : found;
}

bool has_energy(const Json& result) { return result.at("stop") == "finished" && result.at("energy").is_object(); }

}  // namespace

const std::vector<std::string>& energy_columns()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const EnergyColumn& column : known_columns) out.emplace_back(column.name);
        return out;
    }();
    return names;
}

bool is_energy_column(const std::string& column)
{
    return known_column(column) != nullptr || column == count_of_unknown;
}

std::string unit_of_energy(const std::string& column)
{
    const EnergyColumn* known = known_column(column);
    return known == nullptr ? "" : known->unit;
}

std::optional<double> energy_of_result(const Json& result, const std::string& column)
{
    if (!has_energy(result)) return std::nullopt;
    const Json& energy = result.at("energy");
    const EnergyColumn* known = known_column(column);
    if (known == nullptr) return static_cast<double>(energy.at("unknown").size());
    const Json& value = energy.at(known->member);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::optional<std::vector<std::string>> energy_unknown_of(const Json& result)
{
    if (!has_energy(result)) return std::nullopt;
    return result.at("energy").at("unknown").get<std::vector<std::string>>();
}

bool any_energy_unknown(const std::vector<SweepRow>& rows)
{
    return std::any_of(rows.begin(), rows.end(),
        [](const SweepRow& row) { return row.energy_unknown && !row.energy_unknown->empty(); });
}

std::string energy_left_out(const SweepRow& row)
{
    if (!row.energy_unknown) return "-";
    std::vector<std::string> parts;  // one may be left out for two reasons
    for (const std::string& what : *row.energy_unknown) {
        std::string part = what.substr(0, what.find(':'));
        if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
    }
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
    return out.empty() ? "nothing" : out;
}

std::string energy_footnote(const std::vector<SweepRow>& rows)
{
    if (!any_energy_unknown(rows)) return "";
    std::vector<std::pair<std::string, std::size_t>> found;
    std::size_t runs = 0;
    bool alike = true;
    std::string first;
    for (const SweepRow& row : rows) {
        if (!row.energy_unknown) continue;
        const std::string left_out = energy_left_out(row);
        if (runs++ == 0) first = left_out;
        alike = alike && left_out == first;
        for (const std::string& what : *row.energy_unknown) {
            const auto known =
                std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == what; });
            if (known == found.end())
                found.emplace_back(what, 1);
            else
                ++known->second;
        }
    }
    std::string out = alike
        ? "\nenergy is of the known parts; left out:\n"
        : "\nenergy is of the known parts, which are not the same in all rows: totals do not compare; left out:\n";
    for (const auto& [what, count] : found)
        out += count == runs ? "  " + what + "\n" : fmt::format("  {} of {} runs: {}\n", count, runs, what);
    return out;
}

}  // namespace weft
