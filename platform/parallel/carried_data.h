// How much of its data a line takes along to another part.
#pragma once

#include <algorithm>

#include "sc_models/memory/memory_image.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Bytes of data that a transaction takes along in this phase. Without data (`data_on` false) whole lines take none, except at flags, whose
// values are always simulated.
inline unsigned carried_bytes(const Line& line, LineClass cls, bool data_on)
{
    const bool request = cls == LineClass::request;
    constexpr unsigned words = 16;  // operand and comparand, or the word as it was
    switch (line.op) {
    case LineOp::read:
    case LineOp::load_reduce:
        if (request) return 0;
        break;
    case LineOp::write:
    case LineOp::multicast:
    case LineOp::reduce:
        if (!request) return 0;
        break;
    case LineOp::atomic:
    case LineOp::fetch:
    case LineOp::await:
    case LineOp::monitor: return std::max<unsigned>(words, line.size);
    }
    const bool nothing = !data_on && line.full_line() && !MemoryImage::is_flag(local_of(line.address));
    return nothing ? 0 : std::uint32_t{line.size};
}

}  // namespace weft
