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
constexpr unsigned link_number_bits = 12;  // of packets, at most
constexpr unsigned link_credit_bits = 12;
constexpr unsigned link_credit_mask = (1U << link_credit_bits) - 1;  // slots of a channel, at most
constexpr unsigned link_packet_bytes = 96;                           // of the longest, whole flits of any size

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

// A packet with an even number tells an ack, one with an odd number a credit; a control packet tells both, but for the ack
// if it asks. What is not told is 0.
struct LinkWord {
    bool control = false;
    std::uint8_t vc = 0;    // of the line; asks: of the credits that are asked for
    std::uint16_t seq = 0;  // number of the packet; control: none
    bool ask = false;       // control: asks for credits
    bool nak = false;       // control: go back to `ack`
    bool again = false;     // changes with the first packet after the sender has gone back; control: none
    std::uint16_t ack = 0;  // the packet that is expected next
    std::uint8_t credit_vc = 0;
    std::uint16_t credit = 0;  // slots that have become free, ever, modulo 4096

    bool tells_ack() const { return control ? !ask : (seq & 1) == 0; }
    bool tells_credit() const { return control || (seq & 1) != 0; }

    void write(std::uint8_t* to) const
    {
        const unsigned low = !control ? vc : (ask ? 1U : 0U) | (nak ? 2U : 0U);
        const unsigned number = !control ? seq : ask ? vc : ack;
        const unsigned told = tells_credit() ? credit : ack;
        const std::uint32_t word = (control ? 1U : 0U) | low << 1 | number << 4 | (again ? 1U << 16 : 0U) |
            (tells_credit() ? credit_vc : 0U) << 17 | told << 20;
        std::memcpy(to, &word, sizeof word);
    }
    static LinkWord read(const std::uint8_t* from)
    {
        std::uint32_t word;
        std::memcpy(&word, from, sizeof word);
        const auto low = static_cast<std::uint8_t>(word >> 1 & 7);
        const auto number = static_cast<std::uint16_t>(word >> 4 & 4095);
        const auto told = static_cast<std::uint16_t>(word >> 20);
        LinkWord out;
        out.control = (word & 1) != 0;
        out.again = (word >> 16 & 1) != 0;
        if (out.control) {
            out.ask = (low & 1) != 0;
            out.nak = !out.ask && (low & 2) != 0;
            if (out.ask)
                out.vc = number & 7;
            else
                out.ack = number;
        } else {
            out.vc = low;
            out.seq = number;
        }
        if (out.tells_credit()) {
            out.credit_vc = word >> 17 & 7;
            out.credit = told;
        } else {
            out.ack = told;
        }
        return out;
    }
};

}  // namespace weft
