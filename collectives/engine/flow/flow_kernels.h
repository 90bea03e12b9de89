// Kernels as flow fidelity runs them: a product of matrices, the work of a compute node, and that of a memory node.
#pragma once

#include <cstdint>

#include "collectives/engine/executor.h"
#include "collectives/flow/devices/flow_kernel.h"
#include "gpu/kernels/gemm.h"

namespace weft {

// As gemm_programs(): a workgroup makes one tile of C.
class GemmKernel final : public FlowKernel {
public:
    // `address`: of its matrices. `lanes_bytes`: that an instruction of a wavefront covers.
    GemmKernel(const Gemm& gemm, std::uint64_t address, std::uint32_t lanes_bytes);

    std::uint32_t steps(std::uint32_t group) const override;
    Block load(std::uint32_t group, std::uint32_t step, unsigned which) const override;
    double flops(std::uint32_t group, std::uint32_t step) const override;
    Block store(std::uint32_t group) const override;

private:
    struct Tile {
        std::uint64_t row = 0;
        std::uint64_t column = 0;
        std::uint64_t rows = 0;
        std::uint64_t columns = 0;
    };
    Tile tile(std::uint32_t group) const;
    std::uint64_t depth(std::uint32_t step) const;

    Gemm gemm_;
    std::uint64_t address_;
    std::uint64_t across_;
};

// As kernel_programs(): every workgroup loads its part of the bytes in blocks, and does operations after each.
class ShareKernel final : public FlowKernel {
public:
    // `address`: of its buffer, in whole lines.
    ShareKernel(const KernelWork& work, std::uint64_t address, std::uint32_t wavefronts, std::uint32_t sets,
        std::uint32_t lanes_bytes, bool cached);

    std::uint32_t steps(std::uint32_t group) const override;
    Block load(std::uint32_t group, std::uint32_t step, unsigned which) const override;
    double flops(std::uint32_t group, std::uint32_t step) const override;
    Block store(std::uint32_t) const override { return {}; }

private:
    std::uint64_t lines_of(std::uint32_t group) const;

    std::uint64_t address_;
    std::uint64_t lines_;
    double operations_;
};

// A memory node on the own memory: every workgroup loads or stores its part of the bytes.
class MoveKernel final : public FlowKernel {
public:
    // `address`: of its first byte, in whole lines.
    MoveKernel(std::uint64_t address, std::uint64_t bytes, bool write, std::uint64_t workgroups,
        std::uint32_t wavefronts, std::uint32_t sets, std::uint32_t lanes_bytes);

    std::uint32_t steps(std::uint32_t) const override { return 1; }
    Block load(std::uint32_t group, std::uint32_t step, unsigned which) const override;
    double flops(std::uint32_t, std::uint32_t) const override { return 0; }
    Block store(std::uint32_t group) const override;

private:
    Block part_of(std::uint32_t group) const;

    std::uint64_t address_;
    std::uint64_t lines_;
    bool write_;
};

}  // namespace weft
