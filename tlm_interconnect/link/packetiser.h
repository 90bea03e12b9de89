// The bytes of transactions on the wire of one link direction: headers, extensions, byte enables, padding, packets of
// several
// lines. Without SystemC and without time, but for one question: did this line follow the last one closely?
//
// A line by itself:
//   request   header + address extension + byte enables + payload in whole flits
//   response  header - response_saving + payload in whole flits
// The address extension is charged when the line's region (its address in units of extension_region) is none of the
// last extension_ways regions; the least recently used makes room. Byte enables: a write of part of a line.
// Atomics cost atomic_extra on top.
//
// A wide transaction is the lines that it is made of, in a row.
//
// Packets of several lines (`merge`):
//   none         every line is a packet
//   adjacent     a line that continues the one before (same kind, channel, source and destination, next address,
//                within the same aligned block of max_payload bytes in whole lines, without a gap on the wire) adds its payload only;
//                a read request or an acknowledge adds nothing. Lines that a switch carries out for a group, or that it
//                makes for that, do so within blocks of group_payload bytes, if that is less
//   destination  lines from one source to one destination, in one channel, share one packet_overhead until max_payload
//                bytes of headers and payload are in it, or none has come for the time of such a packet on the wire;
//                every line has its header. How many packets are open at a time has no limit.
//                Lines of a network card's message (Line::message_part) share packets as the card has cut them, whatever
//                comes between: no header a line, packet_overhead on the line that begins a packet, message_header (or
//                message_answer) besides on the one that begins the message. Where no data travel, requests of reads and
//                acknowledges of writes, a message is one packet
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "tlm_interconnect/link/adjacent_merge.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/link/open_packets.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

// Payload part of a line on the wire, unpadded.
inline std::uint32_t payload_bytes(LineOp op, std::uint32_t size, LineClass cls)
{
    if (op == LineOp::fetch) return size;
    const bool reads = op == LineOp::read || op == LineOp::load_reduce;
    return reads == (cls == LineClass::response) ? size : 0;
}
// Bytes of a line that is a packet by itself, its region known.
std::uint32_t wire_bytes(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls);
// Bytes of a line that is a packet by itself and finds nothing remembered; its share of frames, rounded up, included.
// `by_card`: where a network card has made it a message.
std::uint32_t lone_bytes(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls, bool by_card = false);
// What lone_bytes() is made of, for people; the parts add up to it.
struct LoneParts {
    std::uint32_t payload = 0;
    std::uint32_t header = 0;
    std::uint32_t padding = 0;  // to whole flits
    std::uint32_t byte_enables = 0;
    std::uint32_t atomic = 0;
    std::uint32_t extension = 0;  // of the address
    std::uint32_t packet = 0;     // overhead of a packet, and of a message
    std::uint32_t frames = 0;     // share of what frames add

    std::uint32_t sum() const
    {
        return payload + header + padding + byte_enables + atomic + extension + packet + frames;
    }
};
LoneParts lone_parts(const LinkSpec& spec, LineOp op, std::uint32_t size, LineClass cls, bool by_card = false);
// Mean bytes of a whole line among many of one stream, its share of packets, frames and credit messages included;
// `of_group`: of lines that a switch carries out for a group, or makes for that; `by_card`: of one long message; `in_a_row`: bytes before
// the next line takes another link.
double stream_bytes(const LinkSpec& spec, LineOp op, LineClass cls, bool of_group = false, bool by_card = false,
    std::uint64_t in_a_row = std::numeric_limits<std::uint64_t>::max());

// Whether every packet of lines in a row begins in a region of its own, so that each of its requests has the address extension. Of
// larger regions it depends on what else passes, and stream_bytes() counts none.
bool extends_each_packet(const LinkSpec& spec);

class Packetiser {
public:
    explicit Packetiser(const LinkSpec& spec);

    // Bytes that `line`, which comes at `now`, adds to the wire. `gap`: the wire has been idle since the last line.
    // `part`: Line::message_part.
    std::uint32_t add(const LineHeader& line, LineClass cls, bool gap, Time now, std::uint8_t part = 0);

    // Every line costs what wire_bytes() says: no need to ask.
    bool plain() const { return plain_; }
    std::uint64_t packets() const { return merge_.packets(); }
    void reset_statistics() { merge_.reset_statistics(); }

    // Where adjacent lines merge and nothing else is charged: whether the line, no wide transaction, joins the open packet; if not, it
    // begins one. Marks a request that shares the packet of the line before it (packet_answer.h).
    bool only_merges() const { return only_merges_; }
    bool join_adjacent(Line& line, LineClass cls, bool gap)
    {
        const bool whole = line.full_line();
        const bool joins = (cls == LineClass::response && whole && line.marked(LineHeader::packed_mark)) ||
            (!gap && merge_.continues(line, cls));
        if (cls == LineClass::request && whole) {
            line.unmark(LineHeader::packed_mark);
            if (joins) line.mark(LineHeader::packed_mark);
        }
        merge_.add(line, cls, joins);
        return joins;
    }
    // Bytes that it adds then, of `lone` bytes by itself.
    std::uint32_t bytes_joined(LineClass cls, std::uint32_t lone) const { return merge_.bytes_joined(cls, lone); }
    std::uint32_t bytes_alone(std::uint32_t lone) const { return merge_.bytes_alone(lone); }

private:
    std::uint32_t of_wide(const LineHeader& line, LineClass cls, bool joined, std::uint32_t bytes);
    std::uint32_t to_destination(const LineHeader& line, LineClass cls, std::uint32_t bytes, Time now);
    std::uint32_t of_message(const LineHeader& line, LineClass cls, std::uint32_t bytes, std::uint8_t part);
    bool region_missed(std::uint64_t address);

    AdjacentMerge merge_;
    LinkSpec spec_;
    bool plain_;
    bool only_merges_;
    OpenPackets open_;                      // merge = destination
    std::array<std::uint64_t, 8> regions_;  // most recent first
};

}  // namespace weft
