// Reflected CRC-32 of any polynomial: begins with ones, complemented at the end.
#pragma once

#include <array>
#include <cstdint>

namespace weft {

class LinkCrc {
public:
    // `poly`: reflected; 0xedb88320 is that of IEEE 802.3.
    explicit LinkCrc(std::uint32_t poly);

    std::uint32_t of(const std::uint8_t* bytes, unsigned count) const;

private:
    // What a byte leaves behind itself and k bytes of zeros.
    std::array<std::array<std::uint32_t, 256>, 8> tables_;
};

}  // namespace weft
