#include "collectives/engine/device_memory.h"

#include <fmt/format.h>

#include "base/units.h"

namespace weft {

bool DeviceMemory::allocate(std::uint64_t bytes, std::uint64_t& address)
{
    if (bytes > capacity_) return false;  // before rounding, which must not wrap around
    const std::uint64_t size = rounded(bytes);
    const auto found = free_.find(size);
    if (found != free_.end() && !found->second.empty()) {
        address = found->second.back();
        found->second.pop_back();
        return true;
    }
    if (size > capacity_ - (next_ - base_)) return false;
    address = next_;
    next_ += size;
    return true;
}

std::string DeviceMemory::capacity_text(std::uint64_t bytes) const
{
    if (bytes > capacity_ || high_water() == 0) return format_bytes(capacity_);
    return fmt::format(
        "{}, of which {} are taken by buffers in use and by freed ones, which only requests of their size reuse",
        format_bytes(capacity_), format_bytes(high_water()));
}

bool DeviceMemory::has_room_at(std::uint64_t offset, std::uint64_t bytes) const
{
    return offset <= capacity_ && bytes <= capacity_ && rounded(bytes) <= capacity_ - offset;
}

void DeviceMemory::release(std::uint64_t address, std::uint64_t bytes)
{
    if (bytes > 0) free_[rounded(bytes)].push_back(address);
}

}  // namespace weft
