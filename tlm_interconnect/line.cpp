#include "tlm_interconnect/line.h"

#include <algorithm>
#include <cstring>

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

Line::Line(tlm::tlm_mm_interface* pool) : tlm_generic_payload(pool), far_path_{}, data_{}
{
    set_data_ptr(data_);
    set_byte_enable_ptr(nullptr);
    set_dmi_allowed(false);
    set_extension(new LineExtension(*this));
}

std::uint64_t Line::operand() const
{
    std::uint64_t value = 0;
    std::memcpy(&value, data_, sizeof value);
    return value;
}

void Line::set_operand(std::uint64_t value) { std::memcpy(data_, &value, sizeof value); }

std::uint64_t Line::comparand() const
{
    std::uint64_t value = 0;
    std::memcpy(&value, data_ + sizeof value, sizeof value);
    return value;
}

void Line::set_comparand(std::uint64_t value) { std::memcpy(data_ + sizeof value, &value, sizeof value); }

}  // namespace weft
