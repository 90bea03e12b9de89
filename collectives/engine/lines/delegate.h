// Executes the work of some endpoints in place of LineExecutor. In a mixed run that is flow (docs/models/mixed.md).
//
// LineExecutor keeps their jobs, their memory and the order of what follows from their ends. Each call begins what the endpoint is to do, now;
// LineExecutor::ended() is told when it is done.
#pragma once

#include <cstdint>

#include "collectives/engine/executor.h"

namespace weft {

class Delegate {
public:
    using Token = std::uint32_t;

    virtual ~Delegate() = default;

    virtual void enter(Executor::JobId job, std::uint32_t position, Token token) = 0;
    virtual void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write,
        Token token) = 0;
    virtual void run_kernel(std::uint32_t endpoint, const KernelWork& work, Token token) = 0;
    virtual void wait(std::uint32_t endpoint, Picoseconds duration, Token token) = 0;
};

}  // namespace weft
