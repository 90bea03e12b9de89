// Packets as bytes (weft_link_pkg.sv says the same): what a line costs on the wire, and the link word before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "rtl/common/line_bits.h"

namespace weft {

constexpr unsigned link_word_bytes = 4;
constexpr unsigned line_header_bytes = header_bits / 8;
constexpr unsigned link_crc_bytes = 4;
constexpr unsigned link_overhead_bytes = link_word_bytes + line_header_bytes + link_crc_bytes;
constexpr unsigned link_credit_mask = 127;
constexpr unsigned link_packet_bytes = 96;  // of the longest, whole flits of any size

// Payload that follows the header: operations as weft_line_pkg.sv numbers them; a compare-and-swap has two operands.
inline unsigned link_payload_bytes(const LineBits& line)
{
    constexpr unsigned read = 0, atomic = 2, fetch = 3, load_reduce = 7, compare_swap = 2;
    const unsigned op = line.op();
    const bool reads = op == read || op == load_reduce;
    if (op != fetch && reads != line.response()) return 0;
    const bool twice = (op == atomic || op == fetch) && !line.response() && line.function() == compare_swap;
    return std::min(64U, line.size() << (twice ? 1 : 0));
}

inline unsigned link_flits(const LineBits& line, unsigned flit_bytes)
{
    return (link_overhead_bytes + link_payload_bytes(line) + flit_bytes - 1) / flit_bytes;
}

struct LinkWord {
    bool control = false;
    std::uint8_t vc = 0;         // control: the channel that is asked for
    std::uint8_t seq = 0;        // control: 1: asks for credits
    std::uint8_t ack = 0;        // the packet that is expected next
    bool nak = false;            // go back to it
    bool again = false;          // changes with the first packet after the sender has gone back
    std::uint8_t credit_vc = 0;
    std::uint8_t credit = 0;     // slots that have become free, ever, modulo 128

    void write(std::uint8_t* to) const
    {
        const std::uint32_t word = std::uint32_t{control} | std::uint32_t{vc} << 1 | std::uint32_t{seq} << 4 |
            std::uint32_t{ack} << 12 | std::uint32_t{again} << 20 | std::uint32_t{nak} << 21 |
            std::uint32_t{credit_vc} << 22 | std::uint32_t{credit} << 25;
        std::memcpy(to, &word, sizeof word);
    }
    static LinkWord read(const std::uint8_t* from)
    {
        std::uint32_t word;
        std::memcpy(&word, from, sizeof word);
        LinkWord out;
        out.control = (word & 1) != 0;
        out.vc = word >> 1 & 7;
        out.seq = word >> 4 & 255;
        out.ack = word >> 12 & 255;
        out.again = (word >> 20 & 1) != 0;
        out.nak = (word >> 21 & 1) != 0;
        out.credit_vc = word >> 22 & 7;
        out.credit = word >> 25;
        return out;
    }
};

}  // namespace weft
