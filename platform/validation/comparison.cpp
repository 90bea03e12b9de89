#include "platform/validation/comparison.h"

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
        const SimulatedRun* whole = find(variant, last);
        const SimulatedRun* half = find(variant, last / 2);
        if (whole == nullptr || half == nullptr) return 0;
        const double per_byte = (whole->us - half->us) / static_cast<double>(last - last / 2);
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

double mean_error(const std::vector<ComparedRow>& rows)
{
    double sum = 0;
    for (const ComparedRow& row : rows) sum += std::abs(row.error);
    return rows.empty() ? 0 : sum / static_cast<double>(rows.size());
}

void add_launch(const MeasuredTable& table, const Runs& runs, double launch_us, std::vector<ComparedRow>& rows)
{
    for (ComparedRow& row : rows) {
        row.us = runs.time(row.variant, row.measured->number) + launch_us;
        row.value = value_at(table, row.us, runs.busbw_times_us(row.variant, row.measured->number));
        row.error = row.value / row.measured->value - 1;
    }
}

// The mean is smallest where one of the rows fits exactly, or at zero.
double best_launch(const MeasuredTable& table, const Runs& runs, std::vector<ComparedRow> rows)
{
    std::vector<double> candidates{0};
    for (const ComparedRow& row : rows) {
        const double wanted = table.quantity == MeasuredTable::Quantity::time
                                  ? row.measured->value
                                  : runs.busbw_times_us(row.variant, row.measured->number) / row.measured->value;
        candidates.push_back(std::max(0.0, wanted - row.us));
    }
    std::sort(candidates.begin(), candidates.end());
    double best = 0;
    double least = -1;
    for (const double candidate : candidates) {
        add_launch(table, runs, candidate, rows);
        const double error = mean_error(rows);
        if (least >= 0 && error >= least) continue;
        least = error;
        best = candidate;
    }
    return best;
}

}  // namespace

std::vector<std::uint64_t> numbers_to_run(const MeasuredTable& table, const RunVariant& variant)
{
    std::vector<std::uint64_t> out;
    bool beyond = false;
    for (const MeasuredRow& row : table.rows) {
        if (!variant.covers(row.number)) continue;
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

Comparison compare(const MeasuredTable& table, const std::vector<SimulatedRun>& simulated)
{
    const Runs runs(table, simulated);
    Comparison out;
    for (const MeasuredRow& measured : table.rows) {
        ComparedRow row;
        row.measured = &measured;
        row.extrapolated = runs.beyond(measured.number);
        for (std::size_t variant = 0; variant < table.variants.size(); ++variant) {
            const double us = runs.time(variant, measured.number);
            if (us == 0 || (row.us > 0 && us >= row.us)) continue;
            row.us = us;
            row.variant = variant;
        }
        if (row.us > 0) out.rows.push_back(row);
    }
    out.launch_us = table.launch_fitted ? best_launch(table, runs, out.rows) : table.launch_us;
    add_launch(table, runs, out.launch_us, out.rows);
    out.mean_error = mean_error(out.rows);
    for (const ComparedRow& row : out.rows) {
        if (std::abs(row.error) > std::abs(out.worst_error)) out.worst_error = row.error;
        if (!row.extrapolated) continue;
        const double known = runs.go_on(row.variant, *table.largest, *table.largest);
        const double predicted = runs.go_on(row.variant, *table.largest / 2, *table.largest);
        if (known == 0 || predicted == 0) continue;
        const double error = predicted / known - 1;
        if (!out.method_error || std::abs(error) > std::abs(*out.method_error)) out.method_error = error;
    }
    return out;
}

}  // namespace weft
