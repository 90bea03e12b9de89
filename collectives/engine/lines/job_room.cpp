#include "collectives/engine/lines/job_room.h"

#include <algorithm>
#include <set>

#include "base/units.h"
#include "collectives/schedule/protocol/protocol.h"
#include "tlm_interconnect/protocol/line.h"

namespace weft {

PacketSlots packet_slots(const Schedule& schedule, const Layout& layout, const EngineSpec& engine)
{
    return PacketSlots(schedule, layout, format_of(engine.protocol),
        engine.protocol == Protocol::ll128 && engine.ll128_fence);
}

std::uint64_t JobMemory::bytes(std::uint32_t rank, Buffer buffer) const
{
    return buffer == Buffer::packets ? packets_.bytes(rank) : layout_.memory_bytes(rank, buffer);
}

std::uint64_t JobMemory::most_bytes(Buffer buffer) const
{
    std::uint64_t most = 0;
    for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank) most = std::max(most, bytes(rank, buffer));
    return most;
}

int JobMemory::allocate(const SwitchUse& use, const std::vector<std::uint32_t>& members,
    std::vector<DeviceMemory>& memories, SymmetricMemory& symmetric, std::vector<RankAddresses>& addresses) const
{
    addresses.assign(schedule_.size(), {});
    for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank)
        for (const Buffer buffer : all_buffers) {
            const auto memory = static_cast<unsigned>(buffer);
            const std::uint64_t size = bytes(rank, buffer);
            if (size == 0 || use.memories[memory]) continue;
            if (!memories[members[rank]].allocate(size, addresses[rank].memory[memory]))
                return static_cast<int>(members[rank]);
        }
    std::vector<std::uint32_t> endpoints = members;
    std::sort(endpoints.begin(), endpoints.end());
    for (const Buffer buffer : all_buffers) {
        const auto memory = static_cast<unsigned>(buffer);
        if (!use.memories[memory]) continue;
        const std::uint64_t size = most_bytes(buffer);
        std::uint64_t local = 0;
        if (const int lacking = size == 0 ? -1 : symmetric.allocate(endpoints, size, local); lacking >= 0)
            return lacking;
        for (std::uint32_t rank = 0; rank < schedule_.size(); ++rank)
            addresses[rank].memory[memory] = global_address(members[rank], local);
    }
    return -1;
}

InputError no_room_for(const std::string& job, const std::string& path, std::uint64_t capacity)
{
    return InputError(job, 0, "the buffers do not fit into the memory of " + path + " (" + format_bytes(capacity) + ")",
        "a smaller message or a larger hbm.capacity");
}

InputError no_room_for_tensor(const std::string& node, std::uint64_t bytes, const std::string& path,
    const DeviceMemory& memory)
{
    return InputError(node, 0,
        "its " + format_bytes(bytes) + " do not fit into " + path + " (" + memory.capacity_text(bytes) + ")",
        "smaller tensors and messages, or a larger hbm.capacity");
}

void number_groups(SwitchUse& use, const Job& job, GroupRegistry* registry)
{
    if (!use.any()) return;
    if (registry == nullptr)
        throw InputError(job.name, 0, job.schedule->name + " needs switches that multicast and reduce",
            "a system with switches, or an algorithm without such steps");
    for (auto& [ranks, number] : use.groups) {
        const std::set<std::uint32_t> once(ranks.begin(), ranks.end());
        if (once.size() < ranks.size())
            throw InputError(job.name, 0, job.schedule->name + ": a step in a switch names a rank twice",
                "every rank once");
        std::vector<std::uint32_t> members;
        for (const std::uint32_t rank : ranks) members.push_back(job.members[rank]);
        std::vector<std::uint32_t> outsiders;
        for (const std::uint32_t rank : use.outsiders[ranks]) outsiders.push_back(job.members[rank]);
        std::sort(outsiders.begin(), outsiders.end());
        number = registry->group(members, outsiders, job.type, job.schedule->reduction);
    }
}

void require_room(const Job& job, const EngineSpec& engine, const std::vector<std::string>& paths,
    const std::vector<std::uint64_t>& capacities, GroupRegistry* registry)
{
    const Layout layout(*job.schedule, job.bytes, static_cast<std::uint32_t>(size_of(job.type)));
    const PacketSlots packets = packet_slots(*job.schedule, layout, engine);
    SwitchUse use = switch_use(*job.schedule);
    number_groups(use, job, registry);
    std::vector<DeviceMemory> memories;
    for (std::uint32_t endpoint = 0; endpoint < capacities.size(); ++endpoint)
        memories.emplace_back(global_address(endpoint, 0), capacities[endpoint]);
    SymmetricMemory symmetric(memories);
    std::vector<RankAddresses> addresses;
    const int lacking =
        JobMemory(*job.schedule, layout, packets).allocate(use, job.members, memories, symmetric, addresses);
    if (lacking >= 0)
        throw no_room_for(job.name, paths[static_cast<std::size_t>(lacking)],
            capacities[static_cast<std::size_t>(lacking)]);
}

}  // namespace weft
