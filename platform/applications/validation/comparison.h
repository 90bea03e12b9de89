// Simulated runs beside a table of measurements.
//
// Sizes beyond `largest` are not run: with L = largest, each variant that covers them goes on at the rate of its last octave,
//     t(S) = t(L) + (S - L) (t(L) - t(L/2)) / (L/2)
// and the same rule from L/4 and L/2 predicts t(L), which is known: that error is reported.
//
// A fitted launch constant is the one time, not below zero, that makes the mean of |error| smallest: over the rows of all
// tables of a launch group, or of the table.
//
// The error of growth needs no constant. With 0 the smallest size and m, t measured and simulated times,
//     ((t(S) - t(0)) - (m(S) - m(0))) / max(|m(S) - m(0)|, m(0) / 10)
// A growth of less than a tenth is not told from the scatter of measurements, hence the floor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/applications/validation/measured.h"

namespace weft {

// The points of a variant to run: numbers along the axis.
std::vector<std::uint64_t> numbers_to_run(const MeasuredTable& table, const RunVariant& variant);

struct SimulatedRun {
    std::uint64_t number = 0;
    std::size_t variant = 0;
    double us = 0;              // 0: it failed
    double busbw_times_us = 0;  // GB/s x us: what busbw is at 1 us
};

struct ComparedRow {
    const MeasuredRow* measured = nullptr;
    std::size_t variant = 0;  // the fastest
    double us = 0;            // simulated, launch included; 0: not simulated, as the measured row says
    double value = 0;         // in the table's unit
    double error = 0;         // value / measured - 1
    bool extrapolated = false;
};

struct Comparison {
    std::vector<ComparedRow> rows;  // those that have a result, and those that are not to have one
    double launch_us = 0;
    std::vector<std::size_t>
        fitted_over;  // tables whose rows the launch constant was fitted to; empty: it is not fitted
    std::size_t fitted_rows = 0;
    double mean_error = 0;                    // of |error|
    double worst_error = 0;                   // with its sign
    std::optional<double> growth_mean_error;  // absent: not over sizes, or less than two of them
    std::optional<double> growth_worst_error;
    std::optional<double> method_error;  // of going on beyond `largest`: the worst of the variants used there
};

struct TableRuns {
    const MeasuredTable* table = nullptr;
    std::vector<SimulatedRun> runs;
};

// Each table's comparison; `fitted_over` are places in `tables`.
std::vector<Comparison> compare_all(const std::vector<TableRuns>& tables);
Comparison compare(const MeasuredTable& table, const std::vector<SimulatedRun>& runs);

// Rows that have a simulated time.
std::size_t simulated_rows(const Comparison& comparison);
// Rows beyond the largest one that is simulated, without the results that they go on from.
std::vector<std::uint64_t> rows_left_out(const MeasuredTable& table, const Comparison& comparison);

}  // namespace weft
