#include "platform/applications/compare/tolerance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/diagnostic.h"
#include "platform/configuration/parameters/glob.h"

namespace weft {

namespace {

// "2%", "0.5 %", "any"
std::optional<double> share_of(std::string text)
{
    if (text == "any") return std::numeric_limits<double>::infinity();
    if (text.empty() || text.back() != '%') return {};
    text.pop_back();
    while (!text.empty() && text.back() == ' ') text.pop_back();
    if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) return {};
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !std::isfinite(value)) return {};
    return value / 100;
}

}  // namespace

void Tolerances::add(const std::string& text)
{
    const std::size_t equals = text.rfind('=');
    Rule rule;
    rule.text = text;
    if (equals != std::string::npos) rule.pattern = text.substr(0, equals);
    const std::optional<double> share = share_of(equals == std::string::npos ? text : text.substr(equals + 1));
    if (!share || equals == 0)
        throw InputError("", 0, "--tolerance '" + text + "' is not a tolerance",
            "a share such as 2%, or GROUP=2%, PATTERN=2%, PATTERN=any with a group or pattern that 'weft compare "
            "--help' explains");
    rule.share = *share;
    const std::vector<std::string>& groups = fact_group_names();
    if (std::find(groups.begin(), groups.end(), rule.pattern) != groups.end()) rule.pattern += ".*";
    rules_.push_back(std::move(rule));
}

std::optional<double> Tolerances::of(const Fact& fact) const
{
    std::optional<double> out;
    const std::string name = fact.name();
    for (const Rule& rule : rules_) {
        if (rule.pattern.empty() ? !is_judged(fact.group) : !glob_matches(rule.pattern, name)) continue;
        rule.used = true;
        out = rule.share;
    }
    return out;
}

std::vector<std::string> Tolerances::unused() const
{
    std::vector<std::string> out;
    for (const Rule& rule : rules_)
        if (!rule.used) out.push_back(rule.text);
    return out;
}

}  // namespace weft
