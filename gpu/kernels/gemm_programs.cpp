#include "gpu/kernels/gemm_programs.h"

#include <algorithm>

namespace weft {

namespace {

// Counts of one workgroup: two loads, a barrier and the operations for each step of k, then a barrier and a store.
std::uint64_t operations_of(std::uint64_t steps) { return 4 * steps + 2; }
std::uint64_t operands_of(std::uint64_t steps) { return 2 * steps + 1; }

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

}  // namespace

double gemm_program_bytes(const Gemm& gemm)
{
    const std::uint64_t steps = parts(gemm.k, gemm.step);
    const auto tiles = static_cast<double>(parts(gemm.m, gemm.tile)) * static_cast<double>(parts(gemm.n, gemm.tile));
    return tiles *
        static_cast<double>(
            operations_of(steps) * sizeof(Operation) + operands_of(steps) * sizeof(std::uint64_t) + sizeof(Program));
}

std::vector<Program> gemm_programs(const Gemm& gemm, std::uint64_t address)
{
    const std::uint64_t width = Gemm::element_bytes;
    const std::uint64_t steps = parts(gemm.k, gemm.step);
    std::vector<Program> programs;
    programs.reserve(parts(gemm.m, gemm.tile) * parts(gemm.n, gemm.tile));
    for (std::uint64_t row = 0; row < gemm.m; row += gemm.tile) {
        const std::uint64_t rows = std::min(gemm.tile, gemm.m - row);
        for (std::uint64_t column = 0; column < gemm.n; column += gemm.tile) {
            const std::uint64_t columns = std::min(gemm.tile, gemm.n - column);
            Program program;
            program.operations.reserve(operations_of(steps));
            program.operands.reserve(operands_of(steps));
            const auto load = [&](std::uint64_t from, std::uint64_t elements, bool with_previous) {
                program.add_move({from}, {}, elements * width, ElementType::bf16, ReduceOp::sum, 0, with_previous);
                program.operations.back().scope = Scope::unit;
            };
            for (std::uint64_t depth = 0; depth < gemm.k; depth += gemm.step) {
                const std::uint64_t deep = std::min(gemm.step, gemm.k - depth);
                load(address + gemm.place_in_a(row, rows, depth), rows * deep, false);
                load(address + gemm.place_in_b(column, columns, depth), columns * deep, true);
                program.add_barrier();
                program.add_flops(2 * rows * columns * deep);
            }
            program.add_barrier();
            program.add_move({}, {address + gemm.place_in_c(row, rows, column)}, rows * columns * width,
                ElementType::bf16, ReduceOp::sum);
            programs.push_back(std::move(program));
        }
    }
    return programs;
}

}  // namespace weft
