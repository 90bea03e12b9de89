#include "tlm_interconnect/line.h"

#include <cstring>

namespace weft {

const char* name_of(LineOp op)
{
    switch (op) {
    case LineOp::read: return "read";
    case LineOp::write: return "write";
    case LineOp::add: return "add";
    case LineOp::await: return "await";
    case LineOp::multicast: return "multicast";
    case LineOp::load_reduce: return "load_reduce";
    case LineOp::reduce: return "reduce";
    }
    return "?";
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

}  // namespace weft
