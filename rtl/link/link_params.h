// Parameters of a link endpoint, the same for the block and for its reference model.
#pragma once

#include <array>
#include <cstdint>

namespace weft {

struct LinkParams {
    static constexpr unsigned max_vcs = 8;

    unsigned flit_bytes = 16;  // 8, 16 or 32: what the wire takes in a clock
    unsigned vcs = 4;          // 1 to 8
    unsigned replay = 32;      // packets that wait for their acknowledge; at most half of the sequence numbers
    unsigned seq_bits = 8;     // 2 to 12
    unsigned timeout = 512;    // clocks without acknowledge, or without credit
    unsigned batch = 1;        // 1 to 255: packets and slots that are worth a control packet
    unsigned hold = 32;        // clocks that fewer of them wait
    std::uint32_t crc_poly = 0xedb88320;  // reflected
    // Slots of the consumer at the far end, by channel, up to 4095; 0: not in use. Not a parameter of the module: pins in reset.
    std::array<std::uint16_t, max_vcs> credits = {8, 8, 8, 8, 8, 8, 8, 8};

    // Throws InputError with the first that is out of its range.
    void check() const;
};

}  // namespace weft
