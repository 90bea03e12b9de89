// Addresses of one endpoint's memory: a bump allocator with free lists by size.
//
// Freed memory is reused for requests of the same size, so that a long trace of alike
// collectives runs in the memory of one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft {

class DeviceMemory {
public:
    // Addresses lie in [base, base + capacity), aligned to 64 bytes.
    DeviceMemory(std::uint64_t base, std::uint64_t capacity) : base_(base), next_(base), capacity_(capacity) {}

    // False when it does not fit.
    bool allocate(std::uint64_t bytes, std::uint64_t& address);
    void release(std::uint64_t address, std::uint64_t bytes);

    // For the error of a request of `bytes` that does not fit: "1 MiB", or with what is taken of it: "1 MiB, of which 900 KiB are taken by
    // buffers in use and by freed ones, which only requests of their size reuse".
    std::string capacity_text(std::uint64_t bytes) const;

    // From here on (relative to base) nothing has been handed out.
    std::uint64_t high_water() const { return next_ - base_; }
    // Whether `bytes` at `offset`, not below high_water(), lie in this memory; hands them out.
    bool has_room_at(std::uint64_t offset, std::uint64_t bytes) const;
    void take_at(std::uint64_t offset, std::uint64_t bytes) { next_ = base_ + offset + rounded(bytes); }

private:
    static std::uint64_t rounded(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

    std::uint64_t base_;
    std::uint64_t next_;
    std::uint64_t capacity_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> free_;
};

}  // namespace weft
