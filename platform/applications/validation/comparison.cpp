#include "platform/applications/validation/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace weft {

namespace {

class Runs {
public:
    Runs(const MeasuredTable& table, const std::vector<SimulatedRun>& runs) : table_(table)
    {
        for (const SimulatedRun& run : runs)
            if (run.us > 0) by_[{run.variant, run.number}] = &run;
    }

    const SimulatedRun* find(std::size_t variant, std::uint64_t number) const
    {
        const auto found = by_.find({variant, number});
        return found == by_.end() ? nullptr : found->second;
    }

    bool beyond(std::uint64_t number) const { return table_.largest && number > *table_.largest; }

    // Time of a variant at `number`, as run or beyond what was run; 0: none.
    double time(std::size_t variant, std::uint64_t number) const
    {
        if (!table_.variants[variant].covers(number)) return 0;
        if (!beyond(number)) {
            const SimulatedRun* run = find(variant, number);
            return run != nullptr ? run->us : 0;
        }
        return go_on(variant, *table_.largest, number);
    }

    // From the runs at `last` and half of it.
    double go_on(std::size_t variant, std::uint64_t last, std::uint64_t number) const
    {
        const std::uint64_t middle = last / 2;
        const SimulatedRun* whole = find(variant, last);
        const SimulatedRun* half = find(variant, middle);
        if (whole == nullptr || half == nullptr) return 0;
        const double per_byte = (whole->us - half->us) / static_cast<double>(last - middle);
        return whole->us + static_cast<double>(number - last) * per_byte;
    }

    // GB/s x us at `number`, which grows with the bytes.
    double busbw_times_us(std::size_t variant, std::uint64_t number) const
    {
        if (!beyond(number)) return find(variant, number)->busbw_times_us;
        return find(variant, *table_.largest)->busbw_times_us * static_cast<double>(number) /
            static_cast<double>(*table_.largest);
    }

private:
    const MeasuredTable& table_;
    std::map<std::pair<std::size_t, std::uint64_t>, const SimulatedRun*> by_;
};

double value_at(const MeasuredTable& table, double us, double busbw_times_us)
{
    return table.quantity == MeasuredTable::Quantity::time ? us : busbw_times_us / us;
}

// A table while its launch constant is sought.
struct Fit {
    const MeasuredTable& table;
    Runs runs;
    std::vector<ComparedRow> rows;
};

double sum_of_errors(const std::vector<ComparedRow>& rows)
{
    double sum = 0;
    for (const ComparedRow& row : rows) sum += std::abs(row.error);
    return sum;
}

void add_launch(double launch_us, Fit& fit)
{
    for (ComparedRow& row : fit.rows) {
        if (row.us == 0) continue;
        row.us = fit.runs.time(row.variant, row.measured->number) + launch_us;
        row.value = value_at(fit.table, row.us, fit.runs.busbw_times_us(row.variant, row.measured->number));
        row.error = row.value / row.measured->value - 1;
    }
}

double measured_us(const Fit& fit, const ComparedRow& row)
{
    if (fit.table.quantity == MeasuredTable::Quantity::time) return row.measured->value;
    return fit.runs.busbw_times_us(row.variant, row.measured->number) / row.measured->value;
}

// The fastest variant of each row; rows without a time stay only where they say why.
std::vector<ComparedRow> fastest(const MeasuredTable& table, const Runs& runs)
{
    std::vector<ComparedRow> out;
    for (const MeasuredRow& measured : table.rows) {
        ComparedRow row;
        row.measured = &measured;
        if (!measured.not_simulated.empty()) {
            out.push_back(row);
            continue;
        }
        row.extrapolated = runs.beyond(measured.number);
        for (std::size_t variant = 0; variant < table.variants.size(); ++variant) {
            const double us = runs.time(variant, measured.number);
            if (us == 0 || (row.us > 0 && us >= row.us)) continue;
            row.us = us;
            row.variant = variant;
        }
        if (row.us > 0) out.push_back(row);
    }
    return out;
}

double error_with(double launch_us, std::vector<Fit>& fits)
{
    double error = 0;
    for (Fit& fit : fits) {
        add_launch(launch_us, fit);
        error += sum_of_errors(fit.rows);
    }
    return error;
}

struct Best {
    double launch_us = 0;
    double error = 0;
};

// The smallest error between `low` and `high`, by golden section.
Best least_between(double low, double high, std::vector<Fit>& fits)
{
    constexpr double golden = 0.6180339887498949;
    constexpr double exact = 1e-7;  // us
    double left = high - golden * (high - low);
    double right = low + golden * (high - low);
    double at_left = error_with(left, fits);
    double at_right = error_with(right, fits);
    while (high - low > exact) {
        if (at_left <= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - golden * (high - low);
            at_left = error_with(left, fits);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + golden * (high - low);
            at_right = error_with(right, fits);
        }
    }
    return at_left <= at_right ? Best{left, at_left} : Best{right, at_right};
}

// The error of a bandwidth, m / (s + L) - 1, is no line over the constant L: between points at which rows fit, the sum of errors is a
// smooth curve that can have minima of its own. Points in between find where they are.
void look_between(double low, double high, std::vector<Fit>& fits, Best& best)
{
    constexpr int parts = 32;
    constexpr double least_difference = 1e-9;  // of a sum of errors: less is rounding
    const double step = (high - low) / parts;
    if (step <= 0) return;
    std::vector<double> errors;
    for (int i = 0; i <= parts; ++i) errors.push_back(error_with(low + i * step, fits));
    for (int i = 0; i <= parts; ++i) {
        const double error = errors[static_cast<std::size_t>(i)];
        if ((i > 0 && errors[static_cast<std::size_t>(i) - 1] < error) ||
            (i < parts && errors[static_cast<std::size_t>(i) + 1] < error))
            continue;
        const Best found =
            least_between(std::max(low, low + (i - 1) * step), std::min(high, low + (i + 1) * step), fits);
        if (found.error < best.error - least_difference) best = found;
    }
}

// The mean of errors of times is smallest where one of the rows fits exactly, or at zero.
double best_launch(const std::vector<Fit>& all, const std::vector<std::size_t>& group)
{
    std::vector<double> candidates{0};
    std::vector<Fit> fits;
    bool bandwidths = false;
    for (const std::size_t i : group) {
        fits.push_back(all[i]);
        bandwidths = bandwidths || all[i].table.quantity == MeasuredTable::Quantity::busbw;
        for (const ComparedRow& row : all[i].rows)
            if (row.us > 0) candidates.push_back(std::max(0.0, measured_us(all[i], row) - row.us));
    }
    std::sort(candidates.begin(), candidates.end());
    Best best{0, error_with(0, fits)};
    for (const double candidate : candidates)
        if (const double error = error_with(candidate, fits); error < best.error) best = {candidate, error};
    if (bandwidths)
        for (std::size_t i = 1; i < candidates.size(); ++i) look_between(candidates[i - 1], candidates[i], fits, best);
    return best.launch_us;
}

// The tables that share the launch constant of table `which`, itself among them.
std::vector<std::size_t> group_of(const std::vector<Fit>& fits, std::size_t which)
{
    const std::string& name = fits[which].table.launch_group;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < fits.size(); ++i)
        if (i == which || (!name.empty() && fits[i].table.launch_group == name)) out.push_back(i);
    return out;
}

void add_growth_errors(const Fit& fit, Comparison& out)
{
    if (!fit.table.over_bytes()) return;
    const ComparedRow* first = nullptr;
    double sum = 0;
    std::size_t count = 0;
    for (const ComparedRow& row : fit.rows) {
        if (row.us == 0) continue;
        if (first == nullptr) {
            first = &row;
            continue;
        }
        const double base = measured_us(fit, *first);
        const double measured = measured_us(fit, row) - base;
        const double error = (row.us - first->us - measured) / std::max(std::abs(measured), base / 10);
        sum += std::abs(error);
        ++count;
        if (!out.growth_worst_error || std::abs(error) > std::abs(*out.growth_worst_error))
            out.growth_worst_error = error;
    }
    if (count > 0) out.growth_mean_error = sum / static_cast<double>(count);
}

void add_errors(const Fit& fit, Comparison& out)
{
    const std::size_t count = simulated_rows(out);
    out.mean_error = count == 0 ? 0 : sum_of_errors(out.rows) / static_cast<double>(count);
    for (const ComparedRow& row : out.rows) {
        if (std::abs(row.error) > std::abs(out.worst_error)) out.worst_error = row.error;
        if (!row.extrapolated) continue;
        const double known = fit.runs.go_on(row.variant, *fit.table.largest, *fit.table.largest);
        const double predicted = fit.runs.go_on(row.variant, *fit.table.largest / 2, *fit.table.largest);
        if (known == 0 || predicted == 0) continue;
        const double error = predicted / known - 1;
        if (!out.method_error || std::abs(error) > std::abs(*out.method_error)) out.method_error = error;
    }
    add_growth_errors(fit, out);
}

}  // namespace

std::vector<std::uint64_t> numbers_to_run(const MeasuredTable& table, const RunVariant& variant)
{
    std::vector<std::uint64_t> out;
    bool beyond = false;
    for (const MeasuredRow& row : table.rows) {
        if (!variant.covers(row.number) || !row.not_simulated.empty()) continue;
        if (table.largest && row.number > *table.largest) {
            beyond = true;
        } else {
            out.push_back(row.number);
        }
    }
    if (beyond)
        for (const std::uint64_t part : {1U, 2U, 4U}) out.push_back(*table.largest / part);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<std::uint64_t> rows_left_out(const MeasuredTable& table, const Comparison& comparison)
{
    std::vector<std::uint64_t> out;
    if (!table.largest) return out;
    for (const MeasuredRow& row : table.rows)
        if (row.number > *table.largest &&
            std::none_of(comparison.rows.begin(), comparison.rows.end(),
                [&row](const ComparedRow& compared) { return compared.measured == &row; }))
            out.push_back(row.number);
    return out;
}

std::size_t simulated_rows(const Comparison& comparison)
{
    return static_cast<std::size_t>(std::count_if(comparison.rows.begin(), comparison.rows.end(),
        [](const ComparedRow& row) { return row.us > 0; }));
}

std::vector<Comparison> compare_all(const std::vector<TableRuns>& tables)
{
    std::vector<Fit> fits;
    for (const TableRuns& given : tables) {
        Runs runs(*given.table, given.runs);
        std::vector<ComparedRow> rows = fastest(*given.table, runs);
        fits.push_back({*given.table, std::move(runs), std::move(rows)});
    }
    std::vector<Comparison> out(fits.size());
    // Every constant is found before any is added: a fit begins with simulated times alone.
    for (std::size_t i = 0; i < fits.size(); ++i) {
        out[i].launch_us = fits[i].table.launch_us;
        if (!fits[i].table.launch_fitted) continue;
        out[i].fitted_over = group_of(fits, i);
        out[i].launch_us = best_launch(fits, out[i].fitted_over);
        for (const std::size_t member : out[i].fitted_over)
            for (const ComparedRow& row : fits[member].rows) out[i].fitted_rows += row.us > 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < fits.size(); ++i) {
        add_launch(out[i].launch_us, fits[i]);
        out[i].rows = fits[i].rows;
        add_errors(fits[i], out[i]);
    }
    return out;
}

Comparison compare(const MeasuredTable& table, const std::vector<SimulatedRun>& runs)
{
    return compare_all({{&table, runs}}).front();
}

}  // namespace weft
