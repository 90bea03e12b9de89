// A line on its way as plain data: what crosses between the parts of a run that is cut.
//
// A line goes from one pool to another this way: its identity is in its fields (tag, ports, endpoints), no module refers to the
// object once it has handed it on. The LatencyBreakdown of a line that has one (traced_flag) goes behind it. A line that is held by a foreign model
// (shared_mark) cannot go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tlm_interconnect/protocol/line.h"

namespace weft {

struct LineRecord {
    std::uint64_t address;
    Time issued;
    std::uint32_t tag;
    std::uint32_t path_hash;
    std::uint32_t transfer;
    std::uint16_t source;
    std::uint16_t destination;
    std::uint8_t op;
    std::uint8_t function;
    std::uint8_t size;
    std::uint8_t flags;
    std::uint8_t vc;
    std::uint8_t depth;
    std::uint8_t marks;
    std::uint8_t message_part;
    std::int8_t status;
    std::array<std::uint8_t, line_bytes> data;
    std::array<std::uint16_t, Line::max_depth> path;  // as deep as `depth`; what is behind is not set

    // How many bytes of a record are set.
    static std::size_t bytes(std::size_t depth) { return offsetof(LineRecord, path) + depth * sizeof(std::uint16_t); }
};
static_assert(std::is_trivially_copyable_v<LineRecord>, "a record can be sent as bytes");

}  // namespace weft
