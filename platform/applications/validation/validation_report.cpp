#include "platform/applications/validation/validation_report.h"

#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/units.h"
#include "platform/plotting/line_plot.h"

namespace weft {

namespace {

std::string figure(double value) { return value >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value); }

// No "-0.0": rounded to nothing, an error has no sign.
std::string per_cent(double error) { return fmt::format("{:+.1f}", std::abs(error) < 0.0005 ? 0.0 : error * 100); }

bool names_variants(const MeasuredTable& table) { return table.variants.size() > 1; }

// "12.3 us, fitted to 32 rows of 4 tables"
std::string launch_text(const ValidationResult& result)
{
    const Comparison& comparison = result.comparison;
    if (!result.table.launch_fitted)
        return comparison.launch_us == 0 ? "0" : figure(comparison.launch_us) + " us, not fitted";
    std::string out = fmt::format("{} us, fitted to {} row{}", figure(comparison.launch_us), comparison.fitted_rows,
        comparison.fitted_rows == 1 ? "" : "s");
    if (result.group_tables > comparison.fitted_over.size())
        out += fmt::format(" of {} of the group's {} tables", comparison.fitted_over.size(), result.group_tables);
    else if (result.group_tables > 1)
        out += fmt::format(" of {} tables", result.group_tables);
    return out;
}

std::string with_constant(const ValidationResult& result)
{
    return fmt::format("mean error {:.1f} %, worst {} %, with a launch constant of {}",
        result.comparison.mean_error * 100, per_cent(result.comparison.worst_error), launch_text(result));
}

// "mean error 12.3 %, worst -20.1 %, with ...; growth from the smallest size ...", divided by `divider`.
std::string verdict(const ValidationResult& result, const std::string& divider = "; ")
{
    const Comparison& comparison = result.comparison;
    if (simulated_rows(comparison) == 0) return "no row of it is simulated";
    std::string out = with_constant(result);
    if (comparison.growth_mean_error)
        out += divider +
            fmt::format("growth from the smallest size, without a constant: mean error {:.1f} %, worst {} %",
                *comparison.growth_mean_error * 100, per_cent(*comparison.growth_worst_error));
    if (comparison.method_error)
        out += divider +
            fmt::format("beyond {} continued, which for that size itself is {} % off",
                format_bytes(*result.table.largest), per_cent(*comparison.method_error));
    return out;
}

std::string key_of(const ComparedRow& row) { return row.measured->key + (row.extrapolated ? " *" : ""); }

// A cell of a table in Markdown.
std::string in_cell(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '<' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out;
}

std::string reason_of(const ComparedRow& row) { return "not simulated: " + row.measured->not_simulated; }

// The constant of a summary's line: what it was fitted to stands in its unit.
std::string summary_launch(const ValidationResult& result)
{
    const Comparison& comparison = result.comparison;
    if (!result.table.launch_fitted)
        return comparison.launch_us == 0 ? "0" : figure(comparison.launch_us) + ", not fitted";
    std::string out = figure(comparison.launch_us) + ", fitted";
    if (comparison.fitted_over.size() > 1) out += fmt::format(" over {} tables", comparison.fitted_over.size());
    if (result.group_tables > comparison.fitted_over.size()) out += fmt::format(" of {}", result.group_tables);
    return out;
}

}  // namespace

std::string validation_text(const std::vector<ValidationResult>& results)
{
    std::string out;
    for (const ValidationResult& result : results) {
        const MeasuredTable& table = result.table;
        out += fmt::format("{}{}\n  {}\n", out.empty() ? "" : "\n", table.title, table.source);
        out += fmt::format("  {:>10} {:>12} {:>12} {:>8}  {}\n", table.over, std::string("measured ") + table.unit(),
            "simulated", "error %", names_variants(table) ? "fastest" : "");
        for (const ComparedRow& row : result.comparison.rows) {
            if (row.us == 0)
                out += fmt::format("  {:>10} {:>12}  {}\n", row.measured->key, figure(row.measured->value),
                    reason_of(row));
            else
                out += fmt::format("  {:>10} {:>12} {:>12} {:>8}  {}\n", key_of(row), figure(row.measured->value),
                    figure(row.value), per_cent(row.error),
                    names_variants(table) ? table.variants[row.variant].name : "");
        }
        for (const std::string& failure : result.failures) out += "  " + failure + "\n";
        out += "  " + verdict(result, "\n  ") + "\n";
    }
    return out;
}

std::string validation_section(const ValidationResult& result, const std::string& picture)
{
    const MeasuredTable& table = result.table;
    std::string out = fmt::format("{}.\n", table.source);
    if (!picture.empty()) out += fmt::format("\n![{}]({})\n", table.title, picture);
    out += fmt::format("\n| {} | measured, {} | simulated | error, % |{}\n|---|---|---|---|{}\n", table.over,
        table.unit(), names_variants(table) ? " fastest |" : "", names_variants(table) ? "---|" : "");
    for (const ComparedRow& row : result.comparison.rows) {
        if (row.us == 0)
            out += fmt::format("| {} | {} | {} | |{}\n", row.measured->key, figure(row.measured->value),
                in_cell(reason_of(row)), names_variants(table) ? " |" : "");
        else
            out += fmt::format("| {} | {} | {} | {} |{}\n", key_of(row), figure(row.measured->value), figure(row.value),
                per_cent(row.error),
                names_variants(table) ? " " + in_cell(table.variants[row.variant].name) + " |" : "");
    }
    std::string text = verdict(result);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
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
    std::string out = "| table | rows | launch constant, us | with it: mean error, % | worst, % | without, growth: "
                      "mean error, % | worst, % |\n"
                      "|---|---|---|---|---|---|---|\n";
    for (const ValidationResult& result : results) {
        const Comparison& comparison = result.comparison;
        const std::size_t simulated = simulated_rows(comparison);
        const std::string rows = simulated == comparison.rows.size()
            ? fmt::format("{}", simulated)
            : fmt::format("{} of {}", simulated, comparison.rows.size());
        if (simulated == 0) {
            out += fmt::format("| {} | {} | not simulated | - | - | - | - |\n", result.table.title, rows);
            continue;
        }
        const bool growth = comparison.growth_mean_error.has_value();
        out += fmt::format("| {} | {} | {} | {:.1f} | {} | {} | {} |\n", result.table.title, rows,
            summary_launch(result), comparison.mean_error * 100, per_cent(comparison.worst_error),
            growth ? fmt::format("{:.1f}", *comparison.growth_mean_error * 100) : "-",
            growth ? per_cent(*comparison.growth_worst_error) : "-");
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
        for (const ComparedRow& row : result.comparison.rows) {
            if (row.us == 0)
                rows.push_back({{"key", row.measured->key}, {"measured", row.measured->value}, {"simulated", nullptr},
                    {"error_pct", nullptr}, {"variant", nullptr}, {"extrapolated", false},
                    {"not_simulated", row.measured->not_simulated}});
            else
                rows.push_back({{"key", row.measured->key}, {"measured", row.measured->value}, {"simulated", row.value},
                    {"error_pct", row.error * 100}, {"variant", result.table.variants[row.variant].name},
                    {"extrapolated", row.extrapolated}});
        }
        Json launch_tables = Json::array();
        for (const std::size_t table : result.comparison.fitted_over)
            launch_tables.push_back(results[table].table.file);
        const auto per_cent_or_null = [](const std::optional<double>& error) {
            return error ? Json(*error * 100) : Json();
        };
        Json entry{{"file", result.table.file}, {"title", result.table.title}, {"source", result.table.source},
            {"unit", result.table.unit()}, {"launch_us", result.comparison.launch_us},
            {"launch_fitted", result.table.launch_fitted}, {"launch_group", result.table.launch_group},
            {"launch_tables", std::move(launch_tables)}, {"launch_rows", result.comparison.fitted_rows},
            {"mean_error_pct", result.comparison.mean_error * 100},
            {"worst_error_pct", result.comparison.worst_error * 100},
            {"growth_mean_error_pct", per_cent_or_null(result.comparison.growth_mean_error)},
            {"growth_worst_error_pct", per_cent_or_null(result.comparison.growth_worst_error)},
            {"method_error_pct", per_cent_or_null(result.comparison.method_error)}};
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
    plot.remark = simulated_rows(result.comparison) == 0 ? verdict(result) : with_constant(result);
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
        if (row.us > 0) {
            simulated.points.push_back({x, row.value});
            error.points.push_back({x, row.error * 100});
        }
        if (table.over_bytes() && row.measured->number < 4 * last_tick) continue;
        plot.x_ticks.push_back({x, table.over_bytes() ? format_bytes(row.measured->number) : row.measured->key});
        last_tick = row.measured->number;
    }
    // The last size is named, too: in place of the one before if that is near.
    if (table.over_bytes() && !result.comparison.rows.empty()) {
        const std::uint64_t end = result.comparison.rows.back().measured->number;
        if (end > last_tick && plot.x_ticks.size() > 1) plot.x_ticks.pop_back();
        if (end > last_tick) plot.x_ticks.push_back({static_cast<double>(end), format_bytes(end)});
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
