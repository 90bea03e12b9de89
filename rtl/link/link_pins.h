// The values of the pins of a link endpoint in one clock.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "rtl/common/clocked_block.h"
#include "rtl/common/line_bits.h"
#include "rtl/link/link_params.h"

namespace weft {

// flit_bytes bytes and two tags: it begins a packet, it ends one.
struct WireFlit {
    static constexpr unsigned max_bytes = 32;
    std::uint8_t bytes[max_bytes];
    bool head;
    bool tail;
};

struct LinkIn {
    LineBits tx_line;
    WireFlit wire;
    std::uint8_t tx_vc = 0;
    std::uint8_t rx_credit = 0;  // a bit for each channel: a slot is free
    bool tx_valid = false;
    bool wire_valid = false;

    LinkIn() { clear(); }
    void clear()
    {
        tx_line.clear();
        std::memset(&wire, 0, sizeof wire);
        tx_vc = rx_credit = 0;
        tx_valid = wire_valid = false;
    }
};

struct LinkOut {
    LineBits rx_line;           // while rx_valid
    WireFlit wire;              // while wire_valid
    std::uint8_t rx_vc = 0;     // while rx_valid
    std::uint8_t tx_ready = 0;  // a bit for each channel: a line is taken in this clock
    bool rx_valid = false;
    bool wire_valid = false;
    bool idle = false;

    LinkOut()
    {
        rx_line.clear();
        std::memset(&wire, 0, sizeof wire);
    }
};

using LinkEndpoint = ClockedBlock<LinkIn, LinkOut>;

// Whether `in` is taken: what the driver of tx_* looks at after the clock.
inline bool line_taken(const LinkIn& in, const LinkOut& out)
{
    return in.tx_valid && (out.tx_ready >> in.tx_vc & 1) != 0;
}

// The first pin that differs, with both values; empty: none. Fields that are not valid are not compared.
std::string difference(const LinkOut& expected, const LinkOut& got, unsigned flit_bytes);

}  // namespace weft
