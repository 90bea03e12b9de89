// The programs of a matrix product's workgroups.
#pragma once

#include <vector>

#include "gpu/kernels/gemm.h"
#include "gpu/units/program.h"

namespace weft {

// One program for each workgroup; the matrices lie one after the other from `address`.
std::vector<Program> gemm_programs(const Gemm& gemm, std::uint64_t address);

// What they take in the memory of the host, in bytes.
double gemm_program_bytes(const Gemm& gemm);

}  // namespace weft
