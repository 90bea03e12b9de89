#include "platform/validation/validation_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "platform/plot/line_plot.h"

namespace weft {

namespace {

std::string figure(double value) { return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value); }

std::string per_cent(double error) { return fmt::format("{:+.1f}", error * 100); }

bool names_variants(const MeasuredTable& table) { return table.variants.size() > 1; }

std::string launch_text(const ValidationResult& result)
{
    if (result.comparison.launch_us == 0) return result.table.launch_fitted ? "launch constant fitted: 0" : "no launch constant";
    return fmt::format("launch constant {} us{}", figure(result.comparison.launch_us),
        result.table.launch_fitted ? ", fitted" : "");
}

// "mean error 12.3 %, worst -20.1 %; launch constant ..."
std::string verdict(const ValidationResult& result)
{
    const Comparison& comparison = result.comparison;
    std::string out = fmt::format("mean error {:.1f} %, worst {} %; {}", comparison.mean_error * 100,
        per_cent(comparison.worst_error), launch_text(result));
    if (comparison.method_error)
        out += fmt::format("; beyond {} continued, which for that size itself is {} % off", format_bytes(*result.table.largest),
            per_cent(*comparison.method_error));
    return out;
}

std::string key_of(const ComparedRow& row) { return row.measured->key + (row.extrapolated ? " *" : ""); }

}  // namespace

std::string validation_text(const std::vector<ValidationResult>& results)
{
    std::string out;
    for (const ValidationResult& result : results) {
        const MeasuredTable& table = result.table;
        out += fmt::format("{}{}\n  {}\n", out.empty() ? "" : "\n", table.title, table.source);
        out += fmt::format("  {:>10} {:>12} {:>12} {:>8}  {}\n", table.over, std::string("measured ") + table.unit(),
            "simulated", "error %", names_variants(table) ? "fastest" : "");
        for (const ComparedRow& row : result.comparison.rows)
            out += fmt::format("  {:>10} {:>12} {:>12} {:>8}  {}\n", key_of(row), figure(row.measured->value),
                figure(row.value), per_cent(row.error), names_variants(table) ? table.variants[row.variant].name : "");
        for (const std::string& failure : result.failures) out += "  " + failure + "\n";
        out += "  " + verdict(result) + "\n";
    }
    return out;
}

std::string validation_section(const ValidationResult& result, const std::string& picture)
{
    const MeasuredTable& table = result.table;
    std::string out = fmt::format("{}.\n", table.source);
    if (!picture.empty()) out += fmt::format("\n![{}]({})\n", table.title, picture);
    out += fmt::format("\n| {} | measured, {} | simulated | error, % |{}\n|---|---|---|---|{}\n", table.over, table.unit(),
        names_variants(table) ? " fastest |" : "", names_variants(table) ? "---|" : "");
    for (const ComparedRow& row : result.comparison.rows)
        out += fmt::format("| {} | {} | {} | {} |{}\n", key_of(row), figure(row.measured->value), figure(row.value),
            per_cent(row.error), names_variants(table) ? " " + table.variants[row.variant].name + " |" : "");
    std::string text = verdict(result);
    text[0] = 'M';
    out += "\n" + text + ".";
    if (!table.free.empty()) {
        out += " Free:";
        for (const std::string& name : table.free) out += (name == table.free.front() ? " " : ", ") + name;
        out += ".";
    }
    if (!table.remark.empty()) out += " " + table.remark;
    out += "\n";
    for (const std::string& failure : result.failures) out += "\n" + failure + "\n";
    return out;
}

std::string validation_summary(const std::vector<ValidationResult>& results)
{
    std::string out = "| table | rows | mean error, % | worst, % | launch constant, us |\n|---|---|---|---|---|\n";
    for (const ValidationResult& result : results) {
        const Comparison& comparison = result.comparison;
        out += fmt::format("| {} | {} | {:.1f} | {} | {}{} |\n", result.table.title, comparison.rows.size(),
            comparison.mean_error * 100, per_cent(comparison.worst_error), figure(comparison.launch_us),
            result.table.launch_fitted ? ", fitted" : "");
    }
    return out;
}

std::string validation_markdown(const std::vector<ValidationResult>& results, const std::vector<std::string>& pictures)
{
    std::string out;
    for (std::size_t i = 0; i < results.size(); ++i)
        out += fmt::format("{}## {}\n\n{}", i > 0 ? "\n" : "", results[i].table.title,
            validation_section(results[i], pictures[i]));
    return out;
}

std::string validation_json(const std::vector<ValidationResult>& results)
{
    using Json = nlohmann::ordered_json;
    Json tables = Json::array();
    for (const ValidationResult& result : results) {
        Json rows = Json::array();
        for (const ComparedRow& row : result.comparison.rows)
            rows.push_back({{"key", row.measured->key}, {"measured", row.measured->value}, {"simulated", row.value},
                {"error_pct", row.error * 100}, {"variant", result.table.variants[row.variant].name},
                {"extrapolated", row.extrapolated}});
        Json entry{{"file", result.table.file}, {"title", result.table.title}, {"source", result.table.source},
            {"unit", result.table.unit()}, {"launch_us", result.comparison.launch_us},
            {"launch_fitted", result.table.launch_fitted}, {"mean_error_pct", result.comparison.mean_error * 100},
            {"worst_error_pct", result.comparison.worst_error * 100}};
        entry["method_error_pct"] = nullptr;
        if (result.comparison.method_error) entry["method_error_pct"] = *result.comparison.method_error * 100;
        entry["rows"] = std::move(rows);
        entry["failures"] = result.failures;
        tables.push_back(std::move(entry));
    }
    return Json{{"schema", "weft.validation/1"}, {"tables", std::move(tables)}}.dump(1) + "\n";
}

std::string validation_svg(const ValidationResult& result)
{
    const MeasuredTable& table = result.table;
    LinePlot plot;
    plot.title = table.title;
    plot.remark = verdict(result);
    plot.x_title = table.over;
    plot.y_title = table.unit();
    plot.log_x = table.over_bytes();
    plot.log_y = table.over_bytes();
    PlotCurve measured{"measured", {}, false, {}};
    PlotCurve simulated{"simulated", {}, false, {}};
    PlotCurve error{"error", {}, false, "#15803d"};
    std::uint64_t last_tick = 0;
    for (const ComparedRow& row : result.comparison.rows) {
        const auto x = static_cast<double>(row.measured->number);
        measured.points.push_back({x, row.measured->value});
        simulated.points.push_back({x, row.value});
        error.points.push_back({x, row.error * 100});
        if (table.over_bytes() && row.measured->number < 4 * last_tick) continue;
        plot.x_ticks.push_back({x, table.over_bytes() ? format_bytes(row.measured->number) : row.measured->key});
        last_tick = row.measured->number;
    }
    plot.curves = {measured, simulated};
    // Two lines on logarithmic axes hide an error of a tenth.
    PlotPanel errors;
    errors.y_title = "error (%)";
    errors.zero = true;
    errors.level = 0;
    errors.curves = {error};
    plot.below = errors;
    return line_plot_svg(plot);
}

}  // namespace weft
