// The outcome of a sweep: one row per point, as a page, as JSON and as CSV.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/applications/sweep/sweep_points.h"
#include "platform/applications/sweep/processes.h"

namespace weft {

// The set-up that the result of a run states. A member is empty where it states none, or several.
struct SweepSetup {
    std::string system;
    std::string fidelity;
    std::string calibration;
    std::string collective;  // the only one, where no trace ran, as those below
    std::string element;
    std::string reduction;
    std::optional<std::uint64_t> grain;  // bytes
    std::optional<std::uint64_t> seed;
    std::optional<std::uint64_t> ranks;
    std::optional<std::uint64_t> bytes;
};

struct SweepRow {
    SweepPoint values;
    int code = -1;        // exit code of the run; -1: none
    std::string message;  // why there is no result; empty when there is one
    SweepSetup setup{};
    std::string stop;  // of the result
    std::string verified;
    // The time of the only collective, where no trace ran, else of the whole run. None if the run did not come to its end.
    std::optional<std::uint64_t> time_ps{};
    std::optional<double> algbw_GBps;  // when exactly one collective ran, and no trace
    std::optional<double> busbw_GBps;
    // The same: its algorithm, what chose it and by which estimate; empty and nothing where it was named.
    std::string algorithm{};
    std::string chosen_by{};
    std::optional<std::uint64_t> estimate_ps{};
    std::vector<std::optional<double>> columns;                // those asked for; nothing where a run has none of them
    std::optional<std::vector<std::string>> energy_unknown{};  // with columns of energy, of a run that has finished
    std::vector<std::string> notices{};                        // of its result
    std::string reason{};  // of a result that is wrong or stopped: the first thing it names
};

// Further columns: "KIND.STATISTIC", a statistic of all modules of a kind summed, such as l2.misses, or "link.FIELD", a
// field of all link directions summed, such as link.flag_bytes.
// Throws InputError for a name that is neither.
void check_columns(const std::vector<std::string>& columns);
// A line for each column that no result has, where there are results.
std::string columns_missing(const std::vector<std::string>& columns, const std::vector<SweepRow>& rows);

// The notices of all runs, each once, with the number of runs that have it where not all do; before them, why rows are wrong or stopped.
std::vector<std::string> notices_of(const std::vector<SweepRow>& rows);

// Reads what a run left: its JSON, or its messages when there is none.
SweepRow make_row(const SweepPoint& point, ProcessEnd end, const std::string& json_path, const std::string& error_path,
    const std::vector<std::string>& columns);

// Where an algorithm was chosen, it and its estimate are columns of the page and of CSV; so is the grain where runs have different ones
// that no key names, or where an error of it is allowed (`by_error`: by an option that all runs have).
std::string sweep_text(const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns,
    const std::vector<SweepRow>& rows, bool by_error = false);
// {schema: "weft.sweep/1", keys: [], points: [{parameters: {key: value}, system, fidelity, grain, calibration, seed, collective, ranks,
//  bytes, type, reduction, exit, stop, verified, time_ps,
//  algbw_GBps, busbw_GBps, algorithm, chosen_by, estimate_ps, columns: {name: value}, energy_unknown: [], notices: [], reason, message}]}; what a
//  point does not have is null.
std::string sweep_json(const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns,
    const std::vector<SweepRow>& rows);
std::string sweep_csv(const std::vector<SweepAxis>& axes, const std::vector<std::string>& columns,
    const std::vector<SweepRow>& rows, bool by_error = false);

}  // namespace weft
