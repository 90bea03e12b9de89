#include "collectives/engine/lines/packet_slots.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

struct SlotShare {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t part = 0;
};
using SlotShares = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<SlotShare>>;  // by rank and slot

template <typename Visit>
void for_each_data_step(const Schedule& schedule, Visit visit)
{
    for (const RankPlan& plan : schedule.ranks)
        for (const Thread& thread : plan.threads)
            for (const Step& step : thread.steps)
                if (is_data(step.kind)) visit(step);
}

void add_shares(const Layout& layout, const Step& step, const std::vector<ChunkRef>& operands, SlotShares& to)
{
    for (const ChunkRef& ref : operands) {
        if (ref.buffer != Buffer::packets) continue;
        for (const ChunkShare& share : layout.shares(step))
            to[{ref.rank, ref.index + share.chunk}].push_back({share.begin, share.end, step.part});
    }
}

}  // namespace

PacketSlots::PacketSlots(const Schedule& schedule, const Layout& layout, PacketFormat format, bool fenced)
    : format_(format), fenced_(fenced), slots_(schedule.size()), padding_(schedule.size())
{
    std::uint64_t slots = 0;
    for (std::uint32_t rank = 0; rank < schedule.size(); ++rank)
        slots += slots_[rank] = schedule.ranks[rank].packet_chunks;
    if (slots == 0) return;
    std::uint32_t parts = 1;
    SlotShares stored;
    SlotShares read;
    for_each_data_step(schedule, [&](const Step& step) {
        parts = std::max(parts, step.parts);
        add_shares(layout, step, step.destinations, stored);
        add_shares(layout, step, step.sources, read);
    });
    stride_ = packet_slot_bytes(format, layout.slot_bytes(), parts);
    for (const auto& [slot, shares] : read) {
        const std::vector<SlotShare>& stores = stored[slot];
        for (const SlotShare& share : shares) {
            const auto same = std::find_if(stores.begin(), stores.end(),
                [&](const SlotShare& store) { return store.begin == share.begin && store.part == share.part; });
            const bool crossed = std::any_of(stores.begin(), stores.end(), [&](const SlotShare& store) {
                return store.begin < share.end && share.begin < store.end &&
                    (store.begin != share.begin || store.part != share.part);
            });
            const bool longer = same != stores.end() && same->end < share.end;
            if (crossed || (longer && share.end < layout.slot_bytes()))
                throw InputError(schedule.name, 0,
                    fmt::format("packets in slot {} of rank {} are stored and read in different parts", slot.second,
                        slot.first),
                    "the same part of the same chunks on both sides, or --fidelity flow");
            if (!longer) continue;
            const std::uint64_t at = offset(slot.second, share.begin, share.part);
            const std::uint64_t there = packet_bytes(format, same->end - share.begin);
            padding_[slot.first].push_back({at + there, packet_bytes(format, share.end - share.begin) - there});
        }
    }
}

}  // namespace weft
