// Two results as JSON, compared in the process of the test.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "platform/applications/compare/difference.h"
#include "platform/applications/compare/difference_report.h"
#include "platform/applications/compare/read_facts.h"

namespace weft::commands_test {

inline ResultComparison compared(const nlohmann::json& a, const nlohmann::json& b,
    const std::vector<std::string>& tolerances = {})
{
    Tolerances rules;
    for (const std::string& text : tolerances) rules.add(text);
    return compare_results(read_facts("a.json", a.dump(1)), read_facts("b.json", b.dump(1)), rules);
}

// "NAME CHANGE" of each difference, in order; the change in per cent.
inline std::vector<std::string> changes(const ResultComparison& comparison)
{
    std::vector<std::string> out;
    const auto written = nlohmann::json::parse(comparison_json(comparison));
    for (const auto& each : written["differences"])
        out.push_back(each["name"].get<std::string>() + " " + each["change_pct"].dump() +
            (each["beyond"].get<bool>() ? " beyond" : ""));
    return out;
}

}  // namespace weft::commands_test
