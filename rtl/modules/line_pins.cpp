#include "rtl/modules/line_pins.h"

#include <fmt/format.h>

namespace weft {

namespace {

// Bytes of data on this way: an operand (of a compare-and-swap two words), the word as it was, or the line.
unsigned data_bytes(const Line& line, LineClass cls)
{
    const bool request = cls == LineClass::request;
    const unsigned words = line.function == AtomicOp::compare_swap ? 16 : 8;
    switch (line.op) {
    case LineOp::read:
    case LineOp::load_reduce: return request ? 0 : line.size;
    case LineOp::write:
    case LineOp::multicast:
    case LineOp::reduce: return request ? line.size : 0;
    case LineOp::atomic: return request ? words : 0;
    case LineOp::fetch: return request ? words : 8;
    case LineOp::await:
    case LineOp::monitor: return request ? 8 : 0;
    }
    return 0;
}

}  // namespace

void header_of(const Line& line, LineClass cls, std::uint32_t tag, LineBits& bits)
{
    const bool response = cls == LineClass::response;
    bits.set_place(line.destination, local_of(line.address));
    bits.set_rest(line.source, static_cast<unsigned>(line.op), response, line.size,
        static_cast<unsigned>(line.function), line.flags, tag,
        response && line.get_response_status() != tlm::TLM_OK_RESPONSE);
}

void bits_of(const Line& line, LineClass cls, std::uint32_t tag, LineBits& bits)
{
    header_of(line, cls, tag, bits);
    const unsigned count = data_bytes(line, cls);
    std::memcpy(bits.data(), line.data(), count);
    std::memset(bits.data() + count, 0, line_bytes - count);
}

void data_of(const LineBits& bits, LineClass cls, Line& line)
{
    std::memcpy(line.data(), bits.data(), data_bytes(line, cls));
}

std::string describe(const LineBits& bits)
{
    const unsigned op = bits.op();
    return fmt::format("{}{} of {} B, {} -> {} at {:#x}, tag {}",
        op < line_ops ? name_of(static_cast<LineOp>(op)) : "unknown operation", bits.response() ? " (response)" : "",
        bits.size(), bits.source(), bits.destination(), bits.address(), bits.tag());
}

std::string difference(const LineBits& expected, const LineBits& got)
{
    const auto differ = [](const char* field, std::uint64_t wanted, std::uint64_t seen) {
        return wanted == seen ? std::string() : fmt::format("{}: expected {:#x}, got {:#x}", field, wanted, seen);
    };
    for (const std::string& text : {differ("destination", expected.destination(), got.destination()),
             differ("address", expected.address(), got.address()), differ("source", expected.source(), got.source()),
             differ("operation", expected.op(), got.op()),
             differ("response", expected.response() ? 1 : 0, got.response() ? 1 : 0),
             differ("size", expected.size(), got.size()), differ("function", expected.function(), got.function()),
             differ("flags", expected.flags(), got.flags()), differ("tag", expected.tag(), got.tag()),
             differ("failed", expected.failed() ? 1 : 0, got.failed() ? 1 : 0)})
        if (!text.empty()) return text;
    for (unsigned i = 0; i < line_bytes; ++i)
        if (expected.data()[i] != got.data()[i])
            return differ(fmt::format("data byte {}", i).c_str(), expected.data()[i], got.data()[i]);
    return "";
}

}  // namespace weft
