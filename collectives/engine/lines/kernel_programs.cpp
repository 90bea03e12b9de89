#include "collectives/engine/lines/kernel_programs.h"

#include <algorithm>

namespace weft {

namespace {

// Part `number` of `parts` of whole `grains`, the last up to the end; parts differ by one grain at most.
struct Share {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint64_t size() const { return end - begin; }
};

Share share(std::uint64_t total, std::uint64_t grain, std::uint64_t number, std::uint64_t parts)
{
    const std::uint64_t grains = total / grain + (total % grain != 0 ? 1 : 0);
    const auto at = [&](std::uint64_t n) {
        return std::min(total, (grains / parts * n + std::min(n, grains % parts)) * grain);
    };
    return {at(number), at(number + 1)};
}

}  // namespace

std::vector<Program> kernel_programs(const KernelWork& work, std::uint64_t address)
{
    std::vector<Program> programs(work.workgroups);
    for (std::uint64_t w = 0; w < work.workgroups; ++w) {
        Program& program = programs[w];
        if (work.duration > 0) {
            program.add_compute(work.duration);
            continue;
        }
        const Share bytes = share(work.bytes, line_bytes, w, work.workgroups);
        const Share operations = share(work.operations, 1, w, work.workgroups);
        const std::uint64_t blocks = KernelWork::blocks_of(bytes.size());
        for (std::uint64_t b = 0; b < blocks; ++b) {
            const Share loaded = share(bytes.size(), line_bytes, b, blocks);
            const Share done = share(operations.size(), 1, b, blocks);
            if (loaded.size() > 0)
                program.add_move({address + bytes.begin + loaded.begin}, {}, loaded.size(), ElementType::u8,
                    ReduceOp::sum, 0, b > 0);
            if (done.size() == 0) continue;
            if (loaded.size() > 0) program.add_barrier();  // wavefront zero computes with what all of them have loaded
            program.add_flops(done.size());
        }
    }
    programs.erase(std::remove_if(programs.begin(), programs.end(),
                       [](const Program& program) { return program.operations.empty(); }),
        programs.end());
    return programs;
}

}  // namespace weft
