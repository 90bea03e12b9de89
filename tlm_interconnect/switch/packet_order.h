// Keeps lines together that share a packet on the link behind an output port.
//
// Where the link merges lines into packets, a line that continues the packet of the one just sent goes first: a packet is never
// interrupted. Where it merges adjacent ones, a line that continues another one of its queue stands behind that: what set out
// as one request and came through the die line by line is one again. Lines to the same address never change places.
#pragma once

#include <cstdint>

#include "tlm_interconnect/link/block_size.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/channel_queues.h"
#include "tlm_interconnect/switch/waiting_lines.h"

namespace weft {

class PacketOrder {
public:
    // As the link behind a buffer of `space` merges. Nothing waits.
    void start(const BufferSpace& space);

    bool merges() const { return (packet_ | lines_) != 0; }
    bool adjacent() const { return packet_ != 0; }

    // Where lines merge by address: the line of the same queue that `line` continues, if that still waits.
    ScheduledItem* begun(const LineHeader& line, unsigned slot, unsigned input) const;
    void add(Line& line, unsigned slot, unsigned input)
    {
        if (packet_ != 0) waiting_.add(line.address, line, input, static_cast<std::uint8_t>(slot));
    }
    void remove(const Line& line)
    {
        if (packet_ != 0) waiting_.remove(line.address, line);
    }

    // Whether `line` goes into the packet of the line that was sent last.
    bool continues(const LineHeader& line) const
    {
        if (lines_ > 0)
            return in_packet_ > 0 && in_packet_ < lines_ && line.source == source_ && line.destination == destination_;
        if (line.address != next_address_ || line.source != source_ || line.op != op_ || !line.full_line())
            return false;
        const BlockSize& packet = line.of_group() ? group_packet_ : packet_;
        return packet != 0 && !packet.begins(next_address_);
    }
    // It has been sent, from the same queue as the one before or not.
    void sent(const LineHeader& line, bool same_queue)
    {
        if (lines_ > 0) {
            in_packet_ = (same_queue && continues(line) ? in_packet_ : 0) + line.lines();
            source_ = line.source;
            destination_ = line.destination;
        }
        if (packet_ != 0) {
            next_address_ = line.full_line() ? line.address + line_bytes * line.lines() : 0;
            op_ = line.op;
            source_ = line.source;
        }
    }

    void prefetch(std::uint64_t address) const
    {
        if (packet_ == 0) return;
        waiting_.prefetch(address);
        waiting_.prefetch(address - line_bytes);
    }
    void prefetch_one(std::uint64_t address) const { waiting_.prefetch(address); }

private:
    BlockSize packet_;                // by address; 0: not
    BlockSize group_packet_;          // the same of lines of groups
    std::uint32_t lines_ = 0;         // by destination
    std::uint32_t in_packet_ = 0;     // lines so far
    std::uint64_t next_address_ = 0;  // of the line that continues
    std::uint16_t source_ = 0;
    std::uint16_t destination_ = 0;
    LineOp op_ = LineOp::read;
    WaitingLines waiting_;
};

}  // namespace weft
