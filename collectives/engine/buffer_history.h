// Which buffers of an endpoint are still in its L2, at flow fidelity.
//
// Buffers come from the same allocator as by lines: freed memory is reused for requests of the same size, last freed first. A
// buffer is in the cache if what has been used since it was last used, and it itself, fit there. Parts of buffers, ways and victims
// do not count.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/engine/device_memory.h"
#include "collectives/flow/links/flat_map.h"

namespace weft {

class BufferHistory {
public:
    BufferHistory(std::uint64_t capacity, std::uint64_t cache) : memory_(0, capacity), cache_(cache) {}

    struct Taken {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;  // 0: there is none
        bool cached = false;
    };
    // A buffer of so many bytes; none where they do not fit.
    Taken take(std::uint64_t bytes)
    {
        Taken out;
        if (bytes == 0 || !memory_.allocate(bytes, out.address)) return out;
        out.bytes = bytes;
        const std::uint32_t known = number_of_.find(out.address);
        out.cached = known != FlatMap::none && used_ - last_[known] + bytes <= cache_;
        return out;
    }
    std::string capacity_text(std::uint64_t bytes) const { return memory_.capacity_text(bytes); }
    // It has been used, and is free.
    void give_back(const Taken& buffer)
    {
        if (buffer.bytes == 0) return;
        used_ += buffer.bytes;
        std::uint32_t number = number_of_.find(buffer.address);
        if (number == FlatMap::none) {
            number = static_cast<std::uint32_t>(last_.size());
            last_.push_back(0);
            number_of_.insert(buffer.address, number);
        }
        last_[number] = used_;
        memory_.release(buffer.address, buffer.bytes);
    }

private:
    DeviceMemory memory_;
    std::uint64_t cache_;
    std::uint64_t used_ = 0;  // bytes so far
    FlatMap number_of_;       // of an address
    std::vector<std::uint64_t> last_;
};

}  // namespace weft
