// The operations of a cache slice on one line.
#pragma once

#include <cstdint>

#include "rtl/common/line_bits.h"

namespace weft {

inline std::uint64_t line_number(const LineBits& request) { return request.address() >> 6; }
inline bool is_read(const LineBits& request) { return request.op() == 0; }
inline bool is_write(const LineBits& request) { return request.op() == 1; }
inline bool is_full_write(const LineBits& request) { return is_write(request) && request.size() == 64; }

// Carries out a read, a write, an atomic or a fetch on the 64 bytes of its line; the request becomes its response: same
// header, data of a read from byte 0 on, the old word of a fetch, zeroes elsewhere.
void carry_out(LineBits& request, std::uint8_t* line);

// A read or a write of a whole line at its memory; the data are left as they are.
void address_memory(LineBits& line, std::uint64_t number, std::uint16_t endpoint, bool write, std::uint32_t tag);

}  // namespace weft
