// What was one packet on its way to the target is one on its way back, whenever the answers of its lines come: a line
// that shares the packet of the one before it is marked, and its answer has no header of its own.
#pragma once

#include "tlm_interconnect/protocol/line.h"
#include "tlm_interconnect/link/packetiser.h"

namespace weft {

inline bool answers_packet(const LineHeader& line) { return line.full_line() && line.marked(LineHeader::packed_mark); }

// Adds a line to the wire. A request is marked, or not, by the last link on its way where adjacent lines merge.
inline std::uint32_t add_to_packets(Packetiser& packetiser, const LinkSpec& spec, Line& line, LineClass cls, bool gap,
    Time now)
{
    const std::uint64_t before = packetiser.packets();
    const auto merge = spec.merge;
    const std::uint8_t part = merge == MergeKind::destination ? line.message_part : std::uint8_t{0};
    const std::uint32_t bytes = packetiser.add(line, cls, gap, now, part);
    if (cls == LineClass::request && merge == MergeKind::adjacent && line.full_line()) {
        line.unmark(LineHeader::packed_mark);
        if (packetiser.packets() == before) line.mark(LineHeader::packed_mark);
    }
    return bytes;
}

}  // namespace weft
