// Cycles of a product of matrices on a systolic array, by the equations of SCALE-Sim (docs/models/systolic.md). No SystemC.
#pragma once

#include <cstdint>

namespace weft {

// What stays in the cells: results, the first or the second operand.
enum class Dataflow : std::uint8_t { output_stationary, weight_stationary, input_stationary };

struct SystolicArray {
    std::uint64_t rows = 128;
    std::uint64_t columns = 128;
    std::uint64_t arrays = 1;  // that share the folds of a product
    Dataflow dataflow = Dataflow::weight_stationary;
    // Results of an output-stationary fold leave through the rows before the next begins, as the paper has it. SCALE-Sim's code
    // leaves that out.
    bool drains = true;
};

struct SystolicCycles {
    std::uint64_t folds = 0;  // of all products
    std::uint64_t per_fold = 0;
    std::uint64_t total = 0;  // index of the last cycle, as SCALE-Sim reports it
};

// Throws std::overflow_error beyond 1e18 cycles. Of `count` products M x K by K x N, operands always there in time.
SystolicCycles systolic_cycles(const SystolicArray& array, std::uint64_t m, std::uint64_t n, std::uint64_t k,
    std::uint64_t count = 1);

// Operations a second, two for a multiply-add, with every cell busy.
double systolic_peak(const SystolicArray& array, std::uint64_t clock);

}  // namespace weft
