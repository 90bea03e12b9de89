// The programs of a compute kernel's workgroups.
#pragma once

#include <vector>

#include "collectives/engine/executor.h"
#include "gpu/units/program.h"

namespace weft {

// One for each of `work.workgroups`, which must not be 0. Each loads its share of the bytes from `address` on
// in blocks and does its share of the operations behind every block, while other workgroups of its unit, and
// its other wavefronts, load. So with enough of both a kernel takes the longer of what its loads and its
// operations take.
std::vector<Program> kernel_programs(const KernelWork& work, std::uint64_t address);

}  // namespace weft
