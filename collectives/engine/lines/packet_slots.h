// The addresses of the packet slots of a job, and the packets that are expected in them.
//
// A slot holds as much data as a scratch slot, in packets (base/packet_format.h). Each of its shares, as steps cut it,
// begins at a packet and a line of its own; so a slot must be read in the shares in which it was stored.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/packet_format.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"

namespace weft {

class PacketSlots {
public:
    // Throws InputError when a slot is read in other shares than it is stored in.
    PacketSlots(const Schedule& schedule, const Layout& layout, PacketFormat format, bool fenced = false);

    PacketFormat format() const { return format_; }
    // Whether a fence precedes every step that stores packets.
    bool fenced() const { return fenced_; }
    // Size of the memory of a rank's slots; 0 without any.
    std::uint64_t bytes(std::uint32_t rank) const { return slots_[rank] * stride_; }
    // Where the share begins there that is part `part` and begins at byte `begin` of the slot.
    std::uint64_t offset(std::uint32_t slot, std::uint64_t begin, std::uint32_t part) const
    {
        return slot * stride_ + packet_begin(format_, begin, part);
    }
    // The slot at an offset.
    std::uint32_t slot_at(std::uint64_t offset) const { return static_cast<std::uint32_t>(offset / stride_); }

    // Ranges of a rank's memory, offset and bytes, that nobody stores and whole-slot reads go over all the same: the
    // end of a slot behind a shorter chunk.
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    const std::vector<Range>& padding(std::uint32_t rank) const { return padding_[rank]; }

private:
    PacketFormat format_;
    bool fenced_;
    std::uint64_t stride_ = 0;
    std::vector<std::uint64_t> slots_;         // by rank: number
    std::vector<std::vector<Range>> padding_;  // by rank
};

}  // namespace weft
