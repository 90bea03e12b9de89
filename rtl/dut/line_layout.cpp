#include "rtl/dut/line_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace weft {

namespace {

struct Known {
    const char* name;
    unsigned offset;
    unsigned width;
};

constexpr Known known[line_fields] = {{"address", 0, 48}, {"destination", 48, 16}, {"source", 64, 16},
    {"operation", 80, 4}, {"response", 84, 1}, {"size", 85, 7}, {"function", 92, 3}, {"flags", 95, 8}, {"tag", 103, 24},
    {"failed", 127, 1}, {"data", header_bits, beat_bits - header_bits}};

Pin over(const std::uint8_t* bytes, unsigned bits)
{
    return Pin(const_cast<std::uint8_t*>(bytes), std::max(bits, 65U));
}

}  // namespace

const char* name_of(LineField field) { return known[static_cast<unsigned>(field)].name; }
unsigned offset_of(LineField field) { return known[static_cast<unsigned>(field)].offset; }
unsigned width_of(LineField field) { return known[static_cast<unsigned>(field)].width; }

const std::vector<std::string>& line_field_names()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const Known& field : known) out.emplace_back(field.name);
        return out;
    }();
    return names;
}

void copy_bits(const Pin& from, unsigned from_at, Pin& to, unsigned to_at, unsigned count)
{
    for (unsigned done = 0; done < count; done += 32) {
        const unsigned now = std::min(32U, count - done);
        to.set(to_at + done, now, from.get(from_at + done, now));
    }
}

LineLayout LineLayout::whole()
{
    LineLayout out;
    for (unsigned i = 0; i < line_fields; ++i) out.places_[i] = {known[i].offset, known[i].width};
    out.bits_ = beat_bits;
    out.whole_ = true;
    return out;
}

void LineLayout::add(LineField field, unsigned at, unsigned width)
{
    places_[static_cast<unsigned>(field)] = {at, width};
    bits_ = std::max(bits_, at + width);
    whole_ = false;
}

void LineLayout::pack(const LineBits& line, std::uint8_t* to) const
{
    if (whole_) {
        std::memcpy(to, line.bytes, sizeof line.bytes);
        return;
    }
    std::memset(to, 0, bytes());
    const Pin from = over(line.bytes, beat_bits);
    Pin out = over(to, bits_);
    for (unsigned i = 0; i < line_fields; ++i) copy_bits(from, known[i].offset, out, places_[i].at, places_[i].width);
}

void LineLayout::unpack(const std::uint8_t* from, LineBits& line) const
{
    if (whole_) {
        std::memcpy(line.bytes, from, sizeof line.bytes);
        return;
    }
    const Pin in = over(from, bits_);
    Pin out = over(line.bytes, beat_bits);
    for (unsigned i = 0; i < line_fields; ++i) copy_bits(in, places_[i].at, out, known[i].offset, places_[i].width);
}

void copy_field(const LineBits& from, LineBits& to, LineField field)
{
    Pin out = over(to.bytes, beat_bits);
    copy_bits(over(from.bytes, beat_bits), offset_of(field), out, offset_of(field), width_of(field));
}

std::string misfit(const LineBits& line, LineField field, unsigned width)
{
    const Known& place = known[static_cast<unsigned>(field)];
    if (field == LineField::data || width >= place.width) return "";
    const std::uint64_t value = over(line.bytes, beat_bits).get(place.offset, place.width);
    return value >> width == 0 ? "" : fmt::format("{} {} in {} bits", place.name, value, width);
}

}  // namespace weft
