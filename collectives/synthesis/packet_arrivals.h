// The packets that have arrived, for an estimate: slots with the same division for the storing and the reading step.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "collectives/schedule/schedule.h"

namespace weft {

class PacketArrivals {
public:
    struct Share {
        bool here = false;
        std::uint64_t head_ps = 0;            // its first packets
        std::uint64_t tail_ps = 0;            // its last ones
        std::uint32_t depth = 0;              // of the chain of transfers that brought it
        std::vector<std::uint32_t> sleepers;  // threads that wait for it
    };

    // The part of `slot` that a step handles.
    Share& of(const ChunkRef& slot, const Step& step)
    {
        return shares_[{slot.rank, slot.index, slot.count, step.part, step.parts}];
    }

private:
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    std::map<Key, Share> shares_;
};

}  // namespace weft
