#include "rtl/modules/flight_table.h"

#include <cstring>

#include <fmt/format.h>

#include "rtl/modules/line_pins.h"

namespace weft {

namespace {

bool has_header(const LineBits& bits, const std::uint8_t* header)
{
    return std::memcmp(bits.bytes, header, header_bits / 8) == 0;
}

}  // namespace

FlightTable::FlightTable(unsigned ports, unsigned channels, const char* output)
    : ports_(ports), channels_(channels), output_(output), streams_(std::size_t{ports} * ports * channels)
{
}

std::uint32_t FlightTable::enter(Line& line, LineClass cls, unsigned input, unsigned output, unsigned channel, Time now)
{
    std::uint32_t tag = first_free_;
    if (tag == none) {
        tag = static_cast<std::uint32_t>(flights_.size());
        flights_.emplace_back();
    } else {
        first_free_ = flights_[tag].next_free;
    }
    Flight& flight = flights_[tag];
    flight.line = &line;
    flight.input = static_cast<std::uint8_t>(input);
    flight.output = static_cast<std::uint8_t>(output);
    flight.channel = static_cast<std::uint8_t>(channel);
    flight.cls = cls;
    flight.entered = now;
    flight.turn = streams_[stream(flight)].entered++;
    bits_of(line, cls, tag, flight.bits);
    ++inside_;
    return tag;
}

FlightTable::Flight* FlightTable::leave(const LineBits& bits, unsigned output, unsigned channel, std::string& problem)
{
    const std::uint32_t tag = bits.tag();
    if (tag >= flights_.size() || flights_[tag].line == nullptr) {
        problem = fmt::format("a transaction that never went in, or comes out a second time ({})", describe(bits));
        return nullptr;
    }
    Flight& flight = flights_[tag];
    const std::string what = difference(flight.bits, bits);
    if (!what.empty()) {
        const bool again = has_header(bits, flight.before.data()) && !has_header(bits, flight.bits.bytes);
        problem = again ? fmt::format("a transaction that comes out a second time ({})", describe(bits))
                        : fmt::format("{} ({})", what, describe(flight.bits));
        return nullptr;
    }
    if (flight.output != output) {
        problem = fmt::format("a transaction for {} {} ({})", output_, flight.output, describe(bits));
        return nullptr;
    }
    if (flight.channel != channel) {
        problem = fmt::format("channel: expected {}, got {} ({})", flight.channel, channel, describe(bits));
        return nullptr;
    }
    Stream& line_up = streams_[stream(flight)];
    if (flight.turn != line_up.left) {
        problem = fmt::format("a transaction out of order: it came out ahead of {} earlier transactions ({})",
            flight.turn - line_up.left, describe(bits));
        return nullptr;
    }
    ++line_up.left;
    return &flight;
}

void FlightTable::free(std::uint32_t tag)
{
    flights_[tag].line = nullptr;
    std::memcpy(flights_[tag].before.data(), flights_[tag].bits.bytes, flights_[tag].before.size());
    flights_[tag].next_free = first_free_;
    first_free_ = tag;
    --inside_;
}

std::vector<const FlightTable::Flight*> FlightTable::all() const
{
    std::vector<const Flight*> out;
    for (const Flight& flight : flights_)
        if (flight.line != nullptr) out.push_back(&flight);
    return out;
}

}  // namespace weft
