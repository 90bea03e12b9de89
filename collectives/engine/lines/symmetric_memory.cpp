#include "collectives/engine/lines/symmetric_memory.h"

#include <algorithm>

#include "base/line_size.h"

namespace weft {

int SymmetricMemory::allocate(const std::vector<std::uint32_t>& endpoints, std::uint64_t bytes, std::uint64_t& local)
{
    std::vector<std::uint64_t>& known = free_[{endpoints, (bytes + line_bytes - 1) / line_bytes}];
    if (!known.empty()) {
        local = known.back();
        known.pop_back();
        return -1;
    }
    local = 0;
    for (const std::uint32_t endpoint : endpoints) local = std::max(local, memories_[endpoint].high_water());
    for (const std::uint32_t endpoint : endpoints)
        if (!memories_[endpoint].has_room_at(local, bytes)) return static_cast<int>(endpoint);
    for (const std::uint32_t endpoint : endpoints) memories_[endpoint].take_at(local, bytes);
    return -1;
}

void SymmetricMemory::release(const std::vector<std::uint32_t>& endpoints, std::uint64_t bytes, std::uint64_t local)
{
    free_[{endpoints, (bytes + line_bytes - 1) / line_bytes}].push_back(local);
}

}  // namespace weft
