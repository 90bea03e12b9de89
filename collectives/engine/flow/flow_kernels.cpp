#include "collectives/engine/flow/flow_kernels.h"

#include <algorithm>

#include "base/line_size.h"

namespace weft {

namespace {

std::uint32_t lines_of_bytes(std::uint64_t bytes)
{
    return static_cast<std::uint32_t>((bytes + line_bytes - 1) / line_bytes);
}

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

std::uint64_t share(std::uint64_t total, std::uint64_t number, std::uint64_t of)
{
    return total / of + (number < total % of ? 1 : 0);
}

// The sum of all shares before share `number`.
std::uint64_t begin_of(std::uint64_t total, std::uint64_t number, std::uint64_t of)
{
    return total / of * number + std::min(number, total % of);
}

}  // namespace

GemmKernel::GemmKernel(const Gemm& gemm, std::uint64_t address, std::uint32_t lanes_bytes)
    : gemm_(gemm), address_(address), across_(parts(gemm.n, gemm.tile))
{
    groups = static_cast<std::uint32_t>(parts(gemm.m, gemm.tile) * across_);
    wavefronts = Gemm::wavefronts;
    sets = Gemm::unroll;
    instruction_lines = std::max<std::uint32_t>(1, lanes_bytes / line_bytes);
    meets = in_l1 = remembered = background = true;
}

GemmKernel::Tile GemmKernel::tile(std::uint32_t group) const
{
    Tile out;
    out.row = group / across_ * gemm_.tile;
    out.column = group % across_ * gemm_.tile;
    out.rows = std::min(gemm_.tile, gemm_.m - out.row);
    out.columns = std::min(gemm_.tile, gemm_.n - out.column);
    return out;
}

std::uint64_t GemmKernel::depth(std::uint32_t step) const { return std::min(gemm_.step, gemm_.k - step * gemm_.step); }

std::uint32_t GemmKernel::steps(std::uint32_t) const { return static_cast<std::uint32_t>(parts(gemm_.k, gemm_.step)); }

// The number of a block is its address.
FlowKernel::Block GemmKernel::load(std::uint32_t group, std::uint32_t step, unsigned which) const
{
    const Tile of = tile(group);
    const std::uint64_t deep = depth(step);
    const std::uint64_t before = step * gemm_.step;
    const std::uint64_t width = Gemm::element_bytes;
    if (which == 0)
        return {address_ + gemm_.place_in_a(of.row, of.rows, before), lines_of_bytes(of.rows * deep * width)};
    return {address_ + gemm_.place_in_b(of.column, of.columns, before), lines_of_bytes(of.columns * deep * width)};
}

double GemmKernel::flops(std::uint32_t group, std::uint32_t step) const
{
    const Tile of = tile(group);
    return 2.0 * static_cast<double>(of.rows * of.columns * depth(step));
}

FlowKernel::Block GemmKernel::store(std::uint32_t group) const
{
    const Tile of = tile(group);
    return {address_ + gemm_.place_in_c(of.row, of.rows, of.column),
        lines_of_bytes(of.rows * of.columns * Gemm::element_bytes)};
}

ShareKernel::ShareKernel(const KernelWork& work, std::uint64_t address, std::uint32_t wavefronts_each,
    std::uint32_t sets_each, std::uint32_t lanes_bytes, bool cached)
    : address_(address), lines_(work.duration > 0 ? 0 : parts(work.bytes, line_bytes)),
      operations_(work.duration > 0 ? 0 : static_cast<double>(work.operations))
{
    // Workgroups without anything to do are not launched.
    std::uint64_t busy = work.workgroups;
    if (work.duration == 0) busy = std::min(busy, std::max(lines_, work.operations));
    groups = static_cast<std::uint32_t>(busy);
    wavefronts = wavefronts_each;
    sets = sets_each;
    instruction_lines = std::max<std::uint32_t>(1, lanes_bytes / line_bytes);
    cold = !cached;
    meets = operations_ > 0;  // before each operation that wavefront zero does
    duration_ps = work.duration;
}

std::uint64_t ShareKernel::lines_of(std::uint32_t group) const { return share(lines_, group, groups); }

std::uint32_t ShareKernel::steps(std::uint32_t group) const
{
    return static_cast<std::uint32_t>(KernelWork::blocks_of(lines_of(group) * line_bytes));
}

FlowKernel::Block ShareKernel::load(std::uint32_t group, std::uint32_t step, unsigned which) const
{
    if (which > 0) return {};
    const std::uint64_t first = begin_of(lines_, group, groups) + begin_of(lines_of(group), step, steps(group));
    return {address_ + first * line_bytes, static_cast<std::uint32_t>(share(lines_of(group), step, steps(group)))};
}

double ShareKernel::flops(std::uint32_t group, std::uint32_t) const { return operations_ / groups / steps(group); }

MoveKernel::MoveKernel(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t workgroups,
    std::uint32_t wavefronts_each, std::uint32_t sets_each, std::uint32_t lanes_bytes)
    : address_(address), lines_(parts(bytes, line_bytes)), write_(write)
{
    groups = static_cast<std::uint32_t>(std::min(workgroups, lines_));
    wavefronts = wavefronts_each;
    sets = sets_each;
    instruction_lines = std::max<std::uint32_t>(1, lanes_bytes / line_bytes);
    together = 8;   // few enough that lines of different workgroups come to the slices in the order of their times
    meets = write;  // only workgroups whose wavefronts meet store
}

FlowKernel::Block MoveKernel::part_of(std::uint32_t group) const
{
    return {address_ + begin_of(lines_, group, groups) * line_bytes,
        static_cast<std::uint32_t>(share(lines_, group, groups))};
}

FlowKernel::Block MoveKernel::load(std::uint32_t group, std::uint32_t, unsigned which) const
{
    return write_ || which > 0 ? Block{} : part_of(group);
}

FlowKernel::Block MoveKernel::store(std::uint32_t group) const { return write_ ? part_of(group) : Block{}; }

}  // namespace weft
