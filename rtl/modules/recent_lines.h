// The last lines that passed each port, for the account of what went wrong.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "rtl/common/line_bits.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class RecentLines {
public:
    explicit RecentLines(unsigned ports = 0) : ports_(ports) {}

    void add(unsigned port, Time at, unsigned channel, const LineBits& bits)
    {
        Port& kept = ports_[port];
        Entry& entry = kept.entries[kept.count++ % depth];
        entry.at = at;
        entry.channel = channel;
        std::memcpy(entry.header, bits.bytes, sizeof entry.header);
    }
    static constexpr unsigned no_channel = ~0U;
    // "at 12000 ps, channel 1: write of 64 B, ...", the oldest first.
    std::vector<std::string> of(unsigned port) const;

private:
    static constexpr unsigned depth = 6;
    struct Entry {
        Time at;
        unsigned channel;
        std::uint8_t header[header_bits / 8];
    };
    struct Port {
        std::array<Entry, depth> entries;
        std::uint64_t count = 0;
    };
    std::vector<Port> ports_;
};

}  // namespace weft
