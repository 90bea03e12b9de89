// Columns of energy in a sweep. They are sums of what is known, so that what a run leaves out stands beside them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "platform/applications/sweep/sweep_table.h"

namespace weft {

// Those of --energy: "energy.low", "energy.high", "energy.low_power", "energy.high_power".
const std::vector<std::string>& energy_columns();
bool is_energy_column(const std::string& column);       // also "energy.unknown", the number of parts without one
std::string unit_of_energy(const std::string& column);  // "J", "W", or none

// A column of energy from the JSON of a run; none if the run has not finished, or nothing that it did has both a figure and a count.
std::optional<double> energy_of_result(const nlohmann::ordered_json& result, const std::string& column);
// "hbm h100: flow fidelity counts no accesses". None if the run has not finished.
std::optional<std::vector<std::string>> energy_unknown_of(const nlohmann::ordered_json& result);

// Whether a row leaves something out.
bool any_energy_unknown(const std::vector<SweepRow>& rows);
// "hbm h100, l2 h100"
std::string energy_left_out(const SweepRow& row);
// Lines below the table: what is left out and why, and whether the rows are sums of the same parts. Empty: nothing is left out.
std::string energy_footnote(const std::vector<SweepRow>& rows);

}  // namespace weft
