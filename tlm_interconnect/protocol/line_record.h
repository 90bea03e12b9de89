// A line on its way as plain data: what crosses between the parts of a run that is cut.
//
// A line goes from one pool to another this way: its identity is in its fields (tag, ports, endpoints), no module refers to the
// object once it has handed it on. The LatencyBreakdown of a line that has one (traced_flag) goes behind it. A line that is held by a foreign model
// (shared_mark) cannot go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Behind it are `depth` entries of the return path, then `carried` bytes of data; the other bytes of the line's data are not set at
// the other side.
struct LineRecord {
    std::uint64_t address;
    Time issued;
    std::uint32_t tag;
    std::uint32_t path_hash;
    std::uint32_t transfer;
    std::uint32_t tail;
    std::uint16_t source;
    std::uint16_t destination;
    std::uint16_t size;
    std::uint16_t carried;
    std::uint8_t op;
    std::uint8_t function;
    std::uint8_t flags;
    std::uint8_t vc;
    std::uint8_t depth;
    std::uint8_t marks;
    std::uint8_t message_part;
    std::int8_t status;

    // Bytes with path and data.
    static std::size_t bytes(unsigned depth, unsigned carried);
    std::size_t bytes() const { return bytes(depth, carried); }
};
inline std::size_t LineRecord::bytes(unsigned depth, unsigned carried)
{
    return sizeof(LineRecord) + depth * sizeof(std::uint16_t) + carried;
}
static_assert(std::is_trivially_copyable_v<LineRecord>, "a record can be sent as bytes");

}  // namespace weft
