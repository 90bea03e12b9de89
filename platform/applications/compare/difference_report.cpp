#include "platform/applications/compare/difference_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "platform/configuration/parameters/grouping.h"

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

// Differences of one field that are alike in both values: one line.
struct Row {
    const Difference* first = nullptr;
    std::vector<std::string> elements;
    double size = 0;  // of the change
};

std::string shown_value(const Fact& fact, bool present, const std::optional<double>& value, const std::string& text)
{
    if (!present) return "-";
    if (!value) return text.empty() ? "(empty)" : text;
    const bool whole = *value >= 0 && *value == std::floor(*value) && *value < 9e15;
    const bool size = fact.group == FactGroup::parameters || fact.group == FactGroup::setup;
    if (fact.unit == "ps" && *value >= 0 && *value < 9e18)
        return format_time_ps(static_cast<std::uint64_t>(std::llround(*value)));
    if (fact.unit == "B" && whole && size) return format_bytes(static_cast<std::uint64_t>(*value));
    if (fact.unit == "B/s" && whole) return format_rate(static_cast<std::uint64_t>(*value));
    const std::string number = whole ? fmt::format("{:.0f}", *value) : fmt::format("{:.6g}", *value);
    return fact.unit.empty() ? number : number + " " + fact.unit;
}

std::string shown_change(const Difference& difference)
{
    if (!difference.in_a) return "only in B";
    if (!difference.in_b) return "only in A";
    if (difference.a_at_least || difference.b_at_least) return "not known";
    if (!difference.change) return "";
    if (std::isinf(*difference.change)) return *difference.change > 0 ? "from 0" : "below 0";
    const double share = *difference.change * 100;
    // Three digits, and never a rounded 0 for a change.
    const std::string number = std::abs(share) >= 0.05 ? fmt::format("{:+.1f}", share) : fmt::format("{:+.1g}", share);
    return number + (difference.fact.whole ? " % of the time" : " %");
}

std::string shown_verdict(const Difference& difference)
{
    if (!difference.beyond) return "";
    if (!difference.tolerance) return "BEYOND";
    return fmt::format("BEYOND {:g} %", *difference.tolerance * 100);
}

std::string shown_a(const Difference& each)
{
    return (each.a_at_least ? "at least " : "") + shown_value(each.fact, each.in_a, each.a, each.a_text);
}

std::string shown_b(const Difference& each)
{
    return (each.b_at_least ? "at least " : "") + shown_value(each.fact, each.in_b, each.b, each.b_text);
}

// Of links a direction: "from -> to".
std::string shown_element(const Fact& fact, std::string element)
{
    const bool of_link = fact.group == FactGroup::links || fact.group == FactGroup::queues ||
        (fact.group == FactGroup::setup && fact.field == "rate");
    const std::size_t tilde = element.find('~');
    if (of_link && tilde != std::string::npos) element.replace(tilde, 1, " -> ");
    return element;
}

// Points of a sweep ("load=0.2"), whose numbers are values and not places.
std::string shown_points(const std::vector<std::string>& points)
{
    constexpr std::size_t most = 3;
    std::string out;
    for (std::size_t i = 0; i < std::min(most, points.size()); ++i) out += (i == 0 ? "" : ", ") + points[i];
    return out + (points.size() > most ? ", ..." : "");
}

std::string shown_name(const Row& row)
{
    const Fact& fact = row.first->fact;
    std::string element;
    if (row.elements.size() == 1) {
        element = shown_element(fact, row.elements.front());
    } else if (row.elements.front().find('=') != std::string::npos) {
        element = fmt::format("{} ({})", shown_points(row.elements), row.elements.size());
    } else {
        for (const NameGroup& group : group_names(row.elements, 3))
            element += (element.empty() ? "" : ", ") + shown_element(fact, group.text);
        element += fmt::format(" ({})", row.elements.size());
    }
    if (element.empty()) return fact.field;
    return fact.field.empty() ? element : element + "  " + fact.field;
}

// "l2.ways" of a parameter of a module: others of the same value are something else.
std::string parameter_of(const Fact& fact)
{
    if (fact.group != FactGroup::parameters) return "";
    const std::size_t name = fact.element.rfind('.');
    if (name == std::string::npos || name == 0) return fact.element;
    const std::size_t block = fact.element.rfind('.', name - 1);
    return block == std::string::npos ? fact.element : fact.element.substr(block + 1);
}

bool is_of_one_rank(const Row& row) { return row.first->fact.element.compare(0, 5, "rank.") == 0; }

std::vector<Row> rows_of(const ResultComparison& comparison, FactGroup group)
{
    using Key = std::tuple<std::string, std::string, std::optional<double>, std::optional<double>, std::string,
        std::string, bool, bool, bool, bool, bool>;
    std::map<Key, std::size_t> places;
    std::vector<Row> rows;
    for (const Difference& each : comparison.differences) {
        if (each.fact.group != group) continue;
        const Key key{each.fact.field, parameter_of(each.fact), each.a, each.b, each.a_text, each.b_text, each.in_a,
            each.in_b, each.beyond, each.a_at_least, each.b_at_least};
        const auto [place, fresh] = places.emplace(key, rows.size());
        if (fresh)
            rows.push_back({&each, {}, each.change ? std::abs(*each.change) : std::numeric_limits<double>::infinity()});
        rows[place->second].elements.push_back(each.fact.element);
    }
    // Parameters and words keep their order; numbers stand with the largest change first, those of all ranks before those of one, those beyond a
    // tolerance before the rest.
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& one, const Row& other) {
        if (one.first->beyond != other.first->beyond) return one.first->beyond;
        if (is_of_one_rank(one) != is_of_one_rank(other)) return is_of_one_rank(other);
        return group >= FactGroup::times && one.size > other.size;
    });
    return rows;
}

Json number_or_null(const std::optional<double>& value)
{
    if (!value || !std::isfinite(*value)) return nullptr;
    if (*value == std::floor(*value) && std::abs(*value) < 9007199254740992.0) return static_cast<std::int64_t>(*value);
    return *value;
}

Json value_of(bool present, const std::optional<double>& value, const std::string& text)
{
    if (!present) return nullptr;
    return value ? number_or_null(value) : Json(text);
}

Json per_cent(const std::optional<double>& share)
{
    return share && std::isfinite(*share) ? Json(*share * 100) : Json();
}

}  // namespace

std::string comparison_text(const ResultComparison& comparison, std::size_t most)
{
    std::string out = fmt::format("A           {}: {}\nB           {}: {}\n", comparison.a_file, comparison.a_title,
        comparison.b_file, comparison.b_title);
    for (const std::string& notice : comparison.notices) out += fmt::format("{:<12}{}\n", "notice", notice);
    const std::size_t beyond = comparison.beyond();
    if (comparison.differences.empty())
        out += fmt::format("same        all {} facts are equal\n", comparison.compared);
    else
        out += fmt::format("differ      {} of {} facts{}\n", comparison.differences.size(), comparison.compared,
            !comparison.judged ? "; without --tolerance none counts as a failure"
                : beyond == 0  ? "; all checked differences are within the tolerance"
                               : fmt::format("; {} beyond the tolerance", beyond));
    for (std::size_t g = 0; g < fact_group_names().size(); ++g) {
        const std::vector<Row> rows = rows_of(comparison, static_cast<FactGroup>(g));
        if (rows.empty()) continue;
        const std::size_t shown = std::min(most, rows.size());
        std::size_t width = 24;
        std::size_t of_a = 14;
        std::size_t of_b = 14;
        for (std::size_t i = 0; i < shown; ++i) {
            width = std::min<std::size_t>(60, std::max(width, shown_name(rows[i]).size()));
            if (rows[i].first->a_at_least) of_a = std::max(of_a, shown_a(*rows[i].first).size());
            if (rows[i].first->b_at_least) of_b = std::max(of_b, shown_b(*rows[i].first).size());
        }
        out +=
            fmt::format("\n{:<{}}  {:>{}}  {:>{}}  change\n", fact_group_names()[g], width + 2, "A", of_a, "B", of_b);
        for (std::size_t i = 0; i < shown; ++i) {
            const Difference& first = *rows[i].first;
            std::string line = fmt::format("  {:<{}}  {:>{}}  {:>{}}  {:<20}  {}", shown_name(rows[i]), width,
                shown_a(first), of_a, shown_b(first), of_b, shown_change(first), shown_verdict(first));
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + "\n";
        }
        if (rows.size() > shown) out += fmt::format("  and {} more (--all shows them)\n", rows.size() - shown);
    }
    return out;
}

std::string comparison_json(const ResultComparison& comparison)
{
    Json out;
    out["schema"] = "weft.comparison/1";
    out["a"] = comparison.a_file;
    out["b"] = comparison.b_file;
    out["of"] = comparison.schema;
    out["judged"] = comparison.judged;
    out["compared"] = comparison.compared;
    out["beyond"] = comparison.beyond();
    out["differences"] = Json::array();
    for (const Difference& each : comparison.differences) {
        out["differences"].push_back(
            {{"name", each.fact.name()}, {"group", name_of(each.fact.group)}, {"element", each.fact.element},
                {"field", each.fact.field}, {"unit", each.fact.unit}, {"a", value_of(each.in_a, each.a, each.a_text)},
                {"b", value_of(each.in_b, each.b, each.b_text)}, {"change_pct", per_cent(each.change)},
                {"tolerance_pct", per_cent(each.tolerance)}, {"beyond", each.beyond}});
        if (!each.a_at_least && !each.b_at_least) continue;
        out["differences"].back()["a_at_least"] = each.a_at_least;
        out["differences"].back()["b_at_least"] = each.b_at_least;
    }
    out["notices"] = comparison.notices;
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft
