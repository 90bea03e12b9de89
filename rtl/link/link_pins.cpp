#include "rtl/link/link_pins.h"

#include <fmt/format.h>

namespace weft {

namespace {

std::string bytes_text(const std::uint8_t* bytes, unsigned count)
{
    std::string out;
    for (unsigned i = count; i-- > 0;) out += fmt::format("{:02x}", bytes[i]);
    return out;
}

std::string differs(const char* pin, const std::string& expected, const std::string& got)
{
    return fmt::format("{}: expected {}, got {}", pin, expected, got);
}

}  // namespace

std::string difference(const LinkOut& expected, const LinkOut& got, unsigned flit_bytes)
{
    const auto number = [](const char* pin, unsigned a, unsigned b) {
        return differs(pin, fmt::format("{:#x}", a), fmt::format("{:#x}", b));
    };
    if (expected.tx_ready != got.tx_ready) return number("tx_ready", expected.tx_ready, got.tx_ready);
    if (expected.wire_valid != got.wire_valid) return number("wire_out_valid", expected.wire_valid, got.wire_valid);
    if (expected.rx_valid != got.rx_valid) return number("rx_valid", expected.rx_valid, got.rx_valid);
    if (expected.idle != got.idle) return number("idle", expected.idle, got.idle);
    if (expected.wire_valid) {
        if (expected.wire.head != got.wire.head)
            return number("head of wire_out_flit", expected.wire.head, got.wire.head);
        if (expected.wire.tail != got.wire.tail)
            return number("tail of wire_out_flit", expected.wire.tail, got.wire.tail);
        if (std::memcmp(expected.wire.bytes, got.wire.bytes, flit_bytes) != 0)
            return differs("wire_out_flit", bytes_text(expected.wire.bytes, flit_bytes),
                bytes_text(got.wire.bytes, flit_bytes));
    }
    if (expected.rx_valid) {
        if (expected.rx_vc != got.rx_vc) return number("rx_vc", expected.rx_vc, got.rx_vc);
        if (!(expected.rx_line == got.rx_line))
            return differs("rx_line", bytes_text(expected.rx_line.bytes, beat_bits / 8),
                bytes_text(got.rx_line.bytes, beat_bits / 8));
    }
    return {};
}

}  // namespace weft
