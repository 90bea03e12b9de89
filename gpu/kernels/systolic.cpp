#include "gpu/kernels/systolic.h"

#include <stdexcept>

namespace weft {

namespace {

std::uint64_t folds_over(std::uint64_t whole, std::uint64_t each) { return (whole + each - 1) / each; }

}  // namespace

SystolicCycles systolic_cycles(const SystolicArray& array, std::uint64_t m, std::uint64_t n, std::uint64_t k,
    std::uint64_t count)
{
    std::uint64_t over_rows = m;
    std::uint64_t over_columns = n;
    std::uint64_t over_time = k;
    if (array.dataflow == Dataflow::weight_stationary) {
        over_rows = k;
        over_time = m;
    } else if (array.dataflow == Dataflow::input_stationary) {
        over_rows = k;
        over_columns = m;
        over_time = n;
    }
    SystolicCycles out;
    const double most = static_cast<double>(folds_over(over_rows, array.rows)) *
        static_cast<double>(folds_over(over_columns, array.columns)) * static_cast<double>(count) *
        static_cast<double>(2 * array.rows + array.columns + over_time);
    if (most > 1e18) throw std::overflow_error("a product of matrices of more than 1e18 cycles");
    out.folds = folds_over(over_rows, array.rows) * folds_over(over_columns, array.columns) * count;
    const bool loads_or_drains = array.dataflow != Dataflow::output_stationary || array.drains;
    out.per_fold = (loads_or_drains ? 2 : 1) * array.rows + array.columns + over_time - 2;
    out.total = folds_over(out.folds, array.arrays) * out.per_fold - 1;
    return out;
}

double systolic_peak(const SystolicArray& array, std::uint64_t clock)
{
    return 2.0 * static_cast<double>(array.rows * array.columns * array.arrays) * static_cast<double>(clock);
}

}  // namespace weft
