// A line as bits: what travels through RTL. Header in the low 128 bits, data above (weft_line_pkg.sv says the same).
//
//   bits       field
//   47..0      local address
//   63..48     destination endpoint (group, from first_group on)
//   79..64     source endpoint
//   83..80     operation (LineOp)
//   84         response
//   91..85     size, bytes
//   94..92     function of an atomic (AtomicOp)
//   102..95    flags (LineHeader)
//   126..103   tag: which transaction it is, of whoever made it
//   127        the response says that the operation failed
//   639..128   data, byte 0 lowest
#pragma once

#include <cstdint>
#include <cstring>

namespace weft {

constexpr unsigned header_bits = 128;
constexpr unsigned beat_bits = 640;

struct LineBits {
    std::uint8_t bytes[beat_bits / 8];

    std::uint64_t low() const { return word(0); }
    std::uint64_t high() const { return word(8); }
    std::uint64_t address() const { return low() & ((std::uint64_t{1} << 48) - 1); }
    std::uint16_t destination() const { return static_cast<std::uint16_t>(low() >> 48); }
    std::uint16_t source() const { return static_cast<std::uint16_t>(high()); }
    unsigned op() const { return field(16, 4); }
    bool response() const { return field(20, 1) != 0; }
    unsigned size() const { return field(21, 7); }
    unsigned function() const { return field(28, 3); }
    unsigned flags() const { return field(31, 8); }
    std::uint32_t tag() const { return field(39, 24); }
    bool failed() const { return field(63, 1) != 0; }
    std::uint8_t* data() { return bytes + header_bits / 8; }
    const std::uint8_t* data() const { return bytes + header_bits / 8; }

    void clear() { std::memset(bytes, 0, sizeof bytes); }
    void set_place(std::uint16_t destination, std::uint64_t address)
    {
        set_word(0, (address & ((std::uint64_t{1} << 48) - 1)) | std::uint64_t{destination} << 48);
    }
    void set_rest(std::uint16_t source, unsigned op, bool response, unsigned size, unsigned function, unsigned flags,
        std::uint32_t tag, bool failed)
    {
        set_word(8,
            std::uint64_t{source} | std::uint64_t{op & 15U} << 16 | std::uint64_t{response} << 20 |
                std::uint64_t{size & 127U} << 21 | std::uint64_t{function & 7U} << 28 |
                std::uint64_t{flags & 255U} << 31 | std::uint64_t{tag & 0xffffffU} << 39 | std::uint64_t{failed} << 63);
    }
    bool operator==(const LineBits& other) const { return std::memcmp(bytes, other.bytes, sizeof bytes) == 0; }

private:
    std::uint64_t word(unsigned at) const
    {
        std::uint64_t value;
        std::memcpy(&value, bytes + at, 8);
        return value;
    }
    void set_word(unsigned at, std::uint64_t value) { std::memcpy(bytes + at, &value, 8); }
    unsigned field(unsigned from, unsigned count) const
    {
        return static_cast<unsigned>(high() >> from & ((std::uint64_t{1} << count) - 1));
    }
};

}  // namespace weft
