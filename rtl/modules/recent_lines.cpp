#include "rtl/modules/recent_lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtl/modules/line_pins.h"

namespace weft {

std::vector<std::string> RecentLines::of(unsigned port) const
{
    std::vector<std::string> out;
    const Port& kept = ports_[port];
    for (std::uint64_t i = kept.count - std::min<std::uint64_t>(kept.count, depth); i < kept.count; ++i) {
        const Entry& entry = kept.entries[i % depth];
        LineBits bits;
        bits.clear();
        std::memcpy(bits.bytes, entry.header, sizeof entry.header);
        const std::string channel = entry.channel == no_channel ? "" : fmt::format(", channel {}", entry.channel);
        out.push_back(fmt::format("at {} ps{}: {}", entry.at, channel, describe(bits)));
    }
    return out;
}

}  // namespace weft
