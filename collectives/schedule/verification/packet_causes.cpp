#include "collectives/schedule/verification/packet_causes.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace weft {

void PacketCauses::carried_out(StepAt at)
{
    for (const ChunkRef& ref : step_at(schedule_, at).destinations)
        for (std::uint32_t i = 0; ref.buffer == Buffer::packets && i < ref.count; ++i)
            stores_[{ref.rank, ref.index + i}].push_back(at);
}

std::vector<StepAt> PacketCauses::stores_read_by(StepAt at) const
{
    std::vector<StepAt> out;
    const Step& step = step_at(schedule_, at);
    for (const ChunkRef& source : step.sources)
        for (std::uint32_t i = 0; source.buffer == Buffer::packets && i < source.count; ++i) {
            const auto found = stores_.find({source.rank, source.index + i});
            if (found == stores_.end()) continue;
            // As in legal_order(): the stores that are cut alike, or all.
            const auto alike = [&](StepAt store) {
                const Step& other = step_at(schedule_, store);
                return other.part == step.part && other.parts == step.parts;
            };
            const bool any = std::any_of(found->second.begin(), found->second.end(), alike);
            for (const StepAt store : found->second)
                if (!any || alike(store)) out.push_back(store);
        }
    return out;
}

bool PacketCauses::had_read(StepAt reader, StepAt at) const
{
    if (stores_.empty()) return false;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen;
    std::vector<StepAt> open{at};
    while (!open.empty()) {
        const StepAt next = open.back();
        open.pop_back();
        for (const StepAt store : stores_read_by(next)) {
            if (!seen.emplace(store.rank, store.thread, store.step).second) continue;
            const bool same = store.rank == reader.rank && store.thread == reader.thread;
            // Steps before it in its thread are complete, unless they run together with it.
            if (same &&
                (store.step == reader.step || (store.step > reader.step && !step_at(schedule_, store).with_previous)))
                return true;
            open.push_back(store);
        }
    }
    return false;
}

}  // namespace weft
