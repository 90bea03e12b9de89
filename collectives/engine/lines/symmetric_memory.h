// Memory at the same local address of several endpoints, out of what each of them has.
//
// Freed memory is reused for requests of the same number of lines by the same endpoints. Where they have used different
// amounts before, the smaller ones leave a gap.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collectives/engine/device_memory.h"

namespace weft {

class SymmetricMemory {
public:
    // `memories` by endpoint; they outlive it.
    explicit SymmetricMemory(std::vector<DeviceMemory>& memories) : memories_(memories) {}

    // The endpoint whose memory is too small, or -1: `local` is the address. `endpoints` ascending.
    int allocate(const std::vector<std::uint32_t>& endpoints, std::uint64_t bytes, std::uint64_t& local);
    void release(const std::vector<std::uint32_t>& endpoints, std::uint64_t bytes, std::uint64_t local);

private:
    std::vector<DeviceMemory>& memories_;
    // By endpoints and lines.
    std::map<std::pair<std::vector<std::uint32_t>, std::uint64_t>, std::vector<std::uint64_t>> free_;
};

}  // namespace weft
