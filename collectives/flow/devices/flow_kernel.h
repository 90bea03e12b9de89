// A kernel at flow fidelity: what its workgroups load, compute and store, without addresses of lines.
//
// A workgroup goes through steps. In each it loads up to two blocks, and its wavefront zero has the unit compute; in the end it stores a
// block. With `meets` its wavefronts meet when a step is loaded, and again before they store.
#pragma once

#include <cstdint>

namespace weft {

class FlowKernel {
public:
    struct Block {
        std::uint64_t number = 0;  // equal for loads of the same lines
        std::uint32_t lines = 0;   // 0: none
    };
    virtual ~FlowKernel() = default;

    std::uint32_t groups = 0;
    std::uint32_t wavefronts = 1;
    std::uint32_t sets = 1;               // of registers, that a wavefront has
    std::uint32_t instruction_lines = 1;  // that a set holds
    std::uint32_t together = 0;           // lines that are sent together at most; 0: as usual
    bool meets = false;
    bool in_l1 = false;       // loads go by way of the L1
    bool remembered = false;  // blocks are looked for in the L2; else all are there, or all are cold
    bool cold = false;
    bool elsewhere = false;   // what is there is behind the partition of who loads it, if partitions are private
    bool background = false;  // beside the workload
    // Its lines are numbered as they come to the L2. Each one from `displaces_from` up to `displaces_to`, the last not included, displaces
    // a dirty line, which is written to memory.
    std::uint64_t displaces_from = 0;
    std::uint64_t displaces_to = 0;
    std::uint64_t duration_ps = 0;  // of a workgroup that does nothing else

    virtual std::uint32_t steps(std::uint32_t group) const = 0;
    virtual Block load(std::uint32_t group, std::uint32_t step, unsigned which) const = 0;
    virtual double flops(std::uint32_t group, std::uint32_t step) const = 0;
    virtual Block store(std::uint32_t group) const = 0;
};

}  // namespace weft
