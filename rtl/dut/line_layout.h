// The positions of the fields of a transaction among the bits at the pins of a block.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rtl/common/line_bits.h"
#include "rtl/verilated/pin.h"

namespace weft {

enum class LineField : std::uint8_t {
    address,
    destination,
    source,
    operation,
    response,
    size,
    function,
    flags,
    tag,
    failed,
    data
};
constexpr unsigned line_fields = 11;

const char* name_of(LineField field);
// All names, in order.
const std::vector<std::string>& line_field_names();
// First bit and width within LineBits.
unsigned offset_of(LineField field);
unsigned width_of(LineField field);

// `count` bits; the places do not overlap.
void copy_bits(const Pin& from, unsigned from_at, Pin& to, unsigned to_at, unsigned count);

class LineLayout {
public:
    // As line_bits.h: header first, then data.
    static LineLayout whole();

    // A field from bit `at` on. A width below that of the field carries its low bits: the rest must be zero.
    void add(LineField field, unsigned at, unsigned width);
    bool has(LineField field) const { return places_[static_cast<unsigned>(field)].width != 0; }
    unsigned bits() const { return bits_; }
    unsigned bytes() const { return bits_ <= 64 ? 12 : (bits_ + 31) / 32 * 4; }

    struct Place {
        unsigned at = 0;
        unsigned width = 0;  // 0: not carried
    };
    const Place& place(LineField field) const { return places_[static_cast<unsigned>(field)]; }

    // `to` has bytes(), zero where no field lies.
    void pack(const LineBits& line, std::uint8_t* to) const;
    // Sets the fields that are carried.
    void unpack(const std::uint8_t* from, LineBits& line) const;

private:
    std::array<Place, line_fields> places_{};
    unsigned bits_ = 0;
    bool whole_ = false;
};

// One field as it is in `from`.
void copy_field(const LineBits& from, LineBits& to, LineField field);

// "tag 300 in 8 bits", where the value of `field` needs more than `width` bits; empty: it fits.
std::string misfit(const LineBits& line, LineField field, unsigned width);

}  // namespace weft
