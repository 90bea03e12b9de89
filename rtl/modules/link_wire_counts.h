// Counts of the traffic in one direction of a link between clocked endpoints, read from its flits.
//
// Everything is counted where it is sent. Whether the far end has a packet already follows from what was hit: packets
// arrive in the order in which they are sent, and one that was hit is never right.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/statistic.h"
#include "rtl/link/link_pins.h"

namespace weft {

class LinkWireCounts {
public:
    explicit LinkWireCounts(const LinkParams& params) : mask_((1U << params.seq_bits) - 1) {}

    // A flit as it is sent; `hit`: it arrives otherwise, or not at all.
    void flit(const WireFlit& flit, bool hit);

    struct Counts {
        std::uint64_t flits = 0;
        std::uint64_t flits_hit = 0;
        std::uint64_t packets = 0;   // of lines, those sent again among them
        std::uint64_t repeated = 0;  // packets of lines sent again
        std::uint64_t repeated_flits = 0;
        std::uint64_t duplicates = 0;       // of them, right ones that the far end had already
        std::uint64_t control = 0;          // packets without a line
        std::uint64_t requests = 0;         // control packets that ask to go back
        std::uint64_t questions = 0;        // control packets that ask for credits
        std::uint64_t credit_messages = 0;  // control packets that tell of free slots
        std::uint64_t credits_told = 0;     // slots, by packets of any kind
        std::uint64_t hit = 0;              // packets of any kind with a flit that was hit
        std::uint64_t gone_back = 0;        // times that packets were sent again from the oldest on
    };
    const Counts& counts() const { return counts_; }
    void reset() { counts_ = {}; }

    // What a link has beside LinkModel::Direction, in words.
    void describe(const char* prefix, std::vector<Statistic>& out) const;

private:
    void begin(const WireFlit& flit);

    unsigned mask_;
    Counts counts_;
    // The packet on the wire.
    bool control_ = false;
    bool again_ = false;
    bool hit_ = false;
    unsigned number_ = 0;
    unsigned next_ = 0;      // number of the next packet that was not sent before
    unsigned expected_ = 0;  // by the far end, of packets sent after this
    bool mark_ = false;      // of the last packet of a line
    std::array<std::uint16_t, LinkParams::max_vcs> told_ = {};
};

}  // namespace weft
