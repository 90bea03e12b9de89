// A transaction as bits, and what the bits say.
#pragma once

#include <string>

#include "rtl/common/line_bits.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// The header alone: its size on a link follows from it.
void header_of(const Line& line, LineClass cls, std::uint32_t tag, LineBits& bits);

// All that the header has; data where the line carries any on this way. `tag` names it at the module that asks.
void bits_of(const Line& line, LineClass cls, std::uint32_t tag, LineBits& bits);

// Takes the data that `bits` carry.
void data_of(const LineBits& bits, LineClass cls, Line& line);

// "write of 64 B, 3 -> 7 at 0x1240, tag 12"
std::string describe(const LineBits& bits);

// The first field in which they differ, as "destination: expected 7, got 5"; empty: none.
std::string difference(const LineBits& expected, const LineBits& got);

}  // namespace weft
