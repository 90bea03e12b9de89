#include "rtl/link/link_crc.h"

#include <cstring>

namespace weft {

LinkCrc::LinkCrc(std::uint32_t poly)
{
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t state = byte;
        for (int bit = 0; bit < 8; ++bit) state = (state & 1) != 0 ? state >> 1 ^ poly : state >> 1;
        tables_[0][byte] = state;
    }
    for (unsigned k = 1; k < 8; ++k)
        for (unsigned byte = 0; byte < 256; ++byte)
            tables_[k][byte] = tables_[k - 1][byte] >> 8 ^ tables_[0][tables_[k - 1][byte] & 255];
}

std::uint32_t LinkCrc::of(const std::uint8_t* bytes, unsigned count) const
{
    std::uint32_t state = ~0U;
    for (; count >= 8; count -= 8, bytes += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes, 8);
        word ^= state;
        state = 0;
        for (unsigned k = 0; k < 8; ++k) state ^= tables_[7 - k][word >> (8 * k) & 255];
    }
    for (; count > 0; --count, ++bytes) state = state >> 8 ^ tables_[0][(state ^ *bytes) & 255];
    return ~state;
}

}  // namespace weft
