#include "collectives/schedule/protocol/packet_divisions.h"

#include <algorithm>
#include <set>
#include <utility>

namespace weft {

namespace {

template <class Use>
void each_packet_operand(const Schedule& schedule, const std::vector<ChunkRef> Step::*operands, Use use)
{
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            for (const Step& step : thread.steps)
                for (const ChunkRef& ref : step.*operands)
                    if (ref.buffer == Buffer::packets)
                        use(PacketDivision{ref.rank, ref.index, ref.count, step.part, step.parts});
}

}  // namespace

std::map<PacketDivision, std::vector<PacketDivision>> packets_cut_otherwise(const Schedule& schedule)
{
    std::set<PacketDivision> stores;
    each_packet_operand(schedule, &Step::destinations, [&](const PacketDivision& store) { stores.insert(store); });
    std::set<PacketDivision> reads;
    each_packet_operand(schedule, &Step::sources, [&](const PacketDivision& read) {
        if (stores.count(read) == 0) reads.insert(read);
    });
    if (reads.empty()) return {};

    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<PacketDivision>> of_slot;
    for (const PacketDivision& store : stores)
        for (std::uint32_t i = 0; i < store[2]; ++i) of_slot[{store[0], store[1] + i}].push_back(store);
    std::map<PacketDivision, std::vector<PacketDivision>> out;
    for (const PacketDivision& read : reads) {
        std::vector<PacketDivision> waits_for;
        bool all = true;
        for (std::uint32_t i = 0; i < read[2]; ++i) {
            const auto found = of_slot.find({read[0], read[1] + i});
            all = all && found != of_slot.end();
            if (!all) break;
            const auto alike = [&](const PacketDivision& store) { return store[3] == read[3] && store[4] == read[4]; };
            const bool any = std::any_of(found->second.begin(), found->second.end(), alike);
            for (const PacketDivision& store : found->second)
                if (!any || alike(store)) waits_for.push_back(store);
        }
        std::sort(waits_for.begin(), waits_for.end());
        waits_for.erase(std::unique(waits_for.begin(), waits_for.end()), waits_for.end());
        if (all) out.emplace(read, std::move(waits_for));
    }
    return out;
}

}  // namespace weft
