// The order of reads that packets prove: data that arrive have been read before. A step that reads packets comes behind the
// reads of the step that stored them, and, by way of packets which that one read, behind those of others. It
// does not come behind their stores.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collectives/schedule/order.h"

namespace weft {

class PacketCauses {
public:
    explicit PacketCauses(const Schedule& schedule) : schedule_(schedule) {}

    // To be called for each data step of a legal order.
    void carried_out(StepAt at);
    // The stores whose packets `at` reads: those that are cut alike, or all.
    std::vector<StepAt> stores_read_by(StepAt at) const;
    // Whether the packets that `at` reads prove that `reader` has read its sources.
    bool had_read(StepAt reader, StepAt at) const;

private:
    const Schedule& schedule_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<StepAt>> stores_;  // by rank and slot
};

}  // namespace weft
