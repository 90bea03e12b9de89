// The write-backs of a cache that memory has not acknowledged yet, with their bytes: a fill of the same sector that sets out
// meanwhile may overtake them and has its bytes from here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

class WriteBacks {
public:
    WriteBacks() { buckets_.fill(none); }

    // `line` has the sector's bytes, the newest that there are: older write-backs of the sector get them, too.
    void add(std::uint64_t sector, Line& line);
    // Acknowledged.
    void remove(std::uint64_t sector, const Line& line);
    // One with the sector's bytes; null if there is none.
    Line* find(std::uint64_t sector);
    // Changes bytes of all that are on their way.
    void patch(std::uint64_t sector, unsigned offset, const std::uint8_t* bytes, unsigned size);

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    struct Slot {
        std::uint64_t sector;
        Line* line;
        std::uint32_t chained;  // next in its bucket
    };
    std::uint32_t& bucket(std::uint64_t sector) { return buckets_[(sector * 0x9e3779b97f4a7c15ULL) >> 56U]; }

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::array<std::uint32_t, 256> buckets_;
};

}  // namespace weft
