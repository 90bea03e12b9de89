#include "platform/applications/compare/match_points.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

namespace {

std::string identity_of_value(const std::string& text)
{
    if (const auto bytes = parse_bytes(text)) return fmt::format("{}", *bytes);  // also a whole number: 2048 and 2 KiB
    if (!text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        constexpr double exact = 9007199254740992.0;  // 2^53
        const bool whole = number == std::floor(number) && std::abs(number) < exact;
        if (end == text.c_str() + text.size()) return whole ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
    }
    if (const auto time = parse_time_ps(text)) return fmt::format("{} ps", *time);
    if (const auto rate = parse_rate(text)) return fmt::format("{} B/s", *rate);
    if (const auto frequency = parse_frequency(text)) return fmt::format("{} Hz", *frequency);
    return "'" + text;
}

}  // namespace

std::string point_identity(std::vector<std::pair<std::string, std::string>> parameters)
{
    for (auto& [key, value] : parameters) value = identity_of_value(value);
    std::sort(parameters.begin(), parameters.end());
    std::string out;
    for (const auto& [key, value] : parameters) out += key + "=" + value + "\n";
    return out;
}

Facts with_names_of(const Facts& a, Facts b)
{
    std::set<std::string> of_a;
    std::set<std::string> of_b;
    for (const PointName& point : a.points) of_a.insert(point.element);
    for (const PointName& point : b.points) of_b.insert(point.element);
    std::map<std::string, std::vector<std::string>> free;  // by identity, the last first
    for (auto point = a.points.rbegin(); point != a.points.rend(); ++point)
        if (of_b.count(point->element) == 0) free[point->identity].push_back(point->element);
    std::map<std::string, std::string> names;
    for (PointName& point : b.points) {
        if (of_a.count(point.element) > 0) continue;
        const auto found = free.find(point.identity);
        if (found == free.end() || found->second.empty()) continue;
        names[point.element] = found->second.back();
        found->second.pop_back();
    }
    const auto rename = [&names](std::string& element) {
        if (const auto found = names.find(element); found != names.end()) element = found->second;
    };
    for (Fact& fact : b.facts) rename(fact.element);
    for (EnergyLeftOut& one : b.energy_unknown) rename(one.element);
    return b;
}

}  // namespace weft
