// Comparisons as text, Markdown, JSON and pictures.
#pragma once

#include <string>
#include <vector>

#include "platform/applications/validation/comparison.h"

namespace weft {

struct ValidationResult {
    MeasuredTable table;
    Comparison comparison;
    std::vector<std::string> failures;  // runs without a result
    std::size_t group_tables = 1;       // tables of its launch group, those that were not given among them
};

std::string validation_text(const std::vector<ValidationResult>& results);
// A table's measurements, simulated beside, without a heading; `picture` is a file, or empty.
std::string validation_section(const ValidationResult& result, const std::string& picture);
// One line for each table.
std::string validation_summary(const std::vector<ValidationResult>& results);
// A section with its heading for each table; `pictures` names the picture of each, empty for none.
std::string validation_markdown(const std::vector<ValidationResult>& results, const std::vector<std::string>& pictures);
// {schema: "weft.validation/1", tables: [{file, title, source, unit, launch_us, launch_fitted, launch_group, launch_tables: [file],
//  launch_rows, mean_error_pct, worst_error_pct, growth_mean_error_pct, growth_worst_error_pct, method_error_pct,
//  rows: [{key, measured, simulated, error_pct, variant, extrapolated}], failures}]}
// A row that is not simulated has `not_simulated`, why, and null in place of its results.
std::string validation_json(const std::vector<ValidationResult>& results);
std::string validation_svg(const ValidationResult& result);

}  // namespace weft
