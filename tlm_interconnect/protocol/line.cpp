#include "tlm_interconnect/protocol/line.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace weft {

const char* name_of(LineOp op)
{
    switch (op) {
    case LineOp::read: return "read";
    case LineOp::write: return "write";
    case LineOp::atomic: return "atomic";
    case LineOp::fetch: return "fetch";
    case LineOp::await: return "await";
    case LineOp::monitor: return "monitor";
    case LineOp::multicast: return "multicast";
    case LineOp::load_reduce: return "load_reduce";
    case LineOp::reduce: return "reduce";
    }
    return "?";
}

const char* name_of(AtomicOp op)
{
    switch (op) {
    case AtomicOp::add: return "add";
    case AtomicOp::exchange: return "exchange";
    case AtomicOp::compare_swap: return "compare_swap";
    case AtomicOp::min: return "min";
    case AtomicOp::max: return "max";
    }
    return "?";
}

std::uint64_t result_of(AtomicOp op, std::uint64_t word, std::uint64_t operand, std::uint64_t comparand)
{
    switch (op) {
    case AtomicOp::add: return word + operand;
    case AtomicOp::exchange: return operand;
    case AtomicOp::compare_swap: return word == comparand ? operand : word;
    case AtomicOp::min: return std::min(word, operand);
    case AtomicOp::max: return std::max(word, operand);
    }
    return word;
}

LineExtras::LineExtras(Line& line, tlm::tlm_mm_interface* pool) : payload(pool)
{
    payload.set_extension(new LineExtension(line));
}

Line::~Line()
{
    if (has_extras_) delete extras_;
}

LineExtras& Line::extras()
{
    if (!has_extras_) {
        extras_ = new LineExtras(*this, pool_);
        has_extras_ = true;
    }
    return *extras_;
}

bool Line::has_own_data() const { return has_extras_ && !extras_->data.empty(); }

std::uint8_t* Line::own_data()
{
    std::vector<std::uint8_t>& own = extras().data;
    const bool first = own.empty();
    const std::size_t wanted = std::max<std::size_t>(size, line_bytes);
    if (own.size() < wanted) own.resize(wanted);
    if (first) std::memcpy(own.data(), &word_, sizeof word_);
    return own.data();
}

std::uint8_t* Line::word() { return roomy_ || has_own_data() ? data() : reinterpret_cast<std::uint8_t*>(&word_); }

std::string name_of(tlm::tlm_response_status status)
{
    tlm::tlm_generic_payload payload;
    payload.set_response_status(status);
    return payload.get_response_string();
}

tlm::tlm_generic_payload& Line::payload() { return extras().payload; }

tlm::tlm_generic_payload& Line::make_payload()
{
    tlm::tlm_generic_payload& out = payload();
    out.set_address(address);
    out.set_command(command());
    out.set_data_ptr(data());
    out.set_data_length(size);
    out.set_streaming_width(size);
    out.set_byte_enable_ptr(nullptr);
    out.set_byte_enable_length(0);
    out.set_dmi_allowed(false);
    out.set_response_status(get_response_status());
    return out;
}

namespace {

// Of FNV-1a; 0 without data.
std::uint64_t digest(const std::uint8_t* data, std::size_t bytes)
{
    if (data == nullptr) return 0;
    std::uint64_t out = 0xcbf29ce484222325U;
    for (std::size_t i = 0; i < bytes; ++i) out = (out ^ data[i]) * 0x100000001b3U;
    return out;
}

}  // namespace

void Line::note_data() { extras().noted_data = digest(data_if_any(), size); }

bool Line::has_noted_data() { return extras().noted_data == digest(data_if_any(), size); }

LatencyBreakdown& Line::breakdown() { return extras().breakdown; }

std::uint16_t& Line::last_entry(unsigned number)
{
    auto& path = extras().path;
    if (number >= std::size(path)) SC_REPORT_FATAL("/weft/line", "a path crosses more than 32 routing modules");
    return path[number];
}

std::uint64_t Line::operand() const
{
    std::uint64_t value = 0;
    std::memcpy(&value, const_cast<Line*>(this)->word(), sizeof value);
    return value;
}

void Line::set_operand(std::uint64_t value) { std::memcpy(word(), &value, sizeof value); }

std::uint64_t Line::comparand() const
{
    std::uint64_t value = 0;
    if (const std::uint8_t* const held = data_if_any()) std::memcpy(&value, held + sizeof value, sizeof value);
    return value;
}

void Line::set_comparand(std::uint64_t value) { std::memcpy(data() + sizeof value, &value, sizeof value); }

}  // namespace weft
