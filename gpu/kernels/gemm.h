// A matrix product C = A x B as a kernel: what it asks of units, caches and memory, without the numbers.
//
// A is m x k, B is k x n, C is m x n, of bf16, each stored tile by tile. Every workgroup makes one tile of C: for each
// `step` of k its wavefronts load the tiles of A and B (unit scope: through L1 where there is one), wait for each other,
// and the unit does the operations; at the end they store the tile of C. The operations of one workgroup pass while the
// loads of others, and of its other wavefronts, are on their way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

struct Gemm {
    std::uint64_t m = 0;
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    std::uint64_t tile = 128;  // rows and columns of C that a workgroup makes
    std::uint64_t step = 64;   // of k

    static constexpr std::uint32_t wavefronts = 8;  // of a workgroup
    static constexpr std::uint32_t unroll = 4;
    static constexpr std::uint64_t element_bytes = 2;

    // Multiplications and additions.
    std::uint64_t operations() const { return 2 * m * n * k; }
    // Of so many elements, up to the end of a line.
    static std::uint64_t whole_lines(std::uint64_t elements);
    // Of the three matrices.
    std::uint64_t memory_bytes() const;
    // Where blocks lie, in bytes from the first matrix on: A, B and C one after the other, each stored block by block.
    // Of A: `rows` from `row` on, columns from `depth` on.
    std::uint64_t place_in_a(std::uint64_t row, std::uint64_t rows, std::uint64_t depth) const
    {
        return (row * k + rows * depth) * element_bytes;
    }
    // Of B: `columns` from `column` on, rows from `depth` on.
    std::uint64_t place_in_b(std::uint64_t column, std::uint64_t columns, std::uint64_t depth) const
    {
        return whole_lines(m * k) + (column * k + columns * depth) * element_bytes;
    }
    // Of C: `rows` from `row` on, columns from `column` on.
    std::uint64_t place_in_c(std::uint64_t row, std::uint64_t rows, std::uint64_t column) const
    {
        return whole_lines(m * k) + whole_lines(k * n) + (row * n + rows * column) * element_bytes;
    }
    // What all workgroups together load.
    std::uint64_t loaded_bytes() const;

    // "gemm:M,N,K" or "gemm:M,N,K,TILE", as `weft run --beside` takes it; nothing for any other text.
    static std::optional<Gemm> parse(const std::string& text);
};

}  // namespace weft
