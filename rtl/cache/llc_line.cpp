#include "rtl/cache/llc_line.h"

#include <algorithm>
#include <cstring>

namespace weft {

namespace {

constexpr unsigned op_fetch = 3;

std::uint64_t result_of(unsigned function, std::uint64_t word, std::uint64_t operand, std::uint64_t comparand)
{
    switch (function) {
    case 0: return word + operand;
    case 1: return operand;
    case 2: return word == comparand ? operand : word;
    case 3: return std::min(word, operand);
    default: return std::max(word, operand);
    }
}

// Little-endian hosts only, like the bits of a line.
std::uint64_t word_at(const std::uint8_t* from, unsigned size)
{
    std::uint64_t word = 0;
    std::memcpy(&word, from, size);
    return word;
}

}  // namespace

void carry_out(LineBits& request, std::uint8_t* line)
{
    const unsigned size = request.size();
    std::uint8_t* const place = line + (request.address() & 63U);
    std::uint8_t* const data = request.data();
    if (is_read(request)) {
        std::memcpy(data, place, size);
        std::memset(data + size, 0, 64 - size);
    } else if (is_write(request)) {
        std::memcpy(place, data, size);
        std::memset(data, 0, 64);
    } else {
        const std::uint64_t word = word_at(place, size);
        const std::uint64_t result = result_of(request.function(), word, word_at(data, size), word_at(data + 8, size));
        std::memcpy(place, &result, size);
        std::memset(data, 0, 64);
        if (request.op() == op_fetch) std::memcpy(data, &word, sizeof word);
    }
    request.bytes[10] |= 1U << 4;  // response
}

void address_memory(LineBits& line, std::uint64_t number, std::uint16_t endpoint, bool write, std::uint32_t tag)
{
    line.set_place(endpoint, number << 6);
    line.set_rest(endpoint, write ? 1 : 0, false, 64, 0, 0, tag, false);
}

}  // namespace weft
