// The resources that a job takes before its first step: memory at every rank, and groups in switches. An executor takes them from the
// modules; a check, which has no modules, compares them with the parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/engine/device_memory.h"
#include "collectives/engine/engine_spec.h"
#include "collectives/engine/executor.h"
#include "collectives/engine/lines/group_registry.h"
#include "collectives/engine/lines/lowering.h"
#include "collectives/engine/lines/packet_slots.h"
#include "collectives/engine/lines/switch_use.h"
#include "collectives/engine/lines/symmetric_memory.h"
#include "collectives/schedule/layout.h"

namespace weft {

// The slots of packets of a schedule that is carried out.
PacketSlots packet_slots(const Schedule& schedule, const Layout& layout, const EngineSpec& engine);

// The bytes of each memory of each rank. All outlive it.
class JobMemory {
public:
    JobMemory(const Schedule& schedule, const Layout& layout, const PacketSlots& packets)
        : schedule_(schedule), layout_(layout), packets_(packets)
    {
    }

    std::uint64_t bytes(std::uint32_t rank, Buffer buffer) const;
    std::uint64_t most_bytes(Buffer buffer) const;  // of any rank

    // Addresses of all of it, by rank: of memories that `use` names the same local one at all ranks, with room for the largest.
    // `members` is the endpoint of each rank. Returns the endpoint whose memory is too small, or -1.
    int allocate(const SwitchUse& use, const std::vector<std::uint32_t>& members, std::vector<DeviceMemory>& memories,
        SymmetricMemory& symmetric, std::vector<RankAddresses>& addresses) const;

private:
    const Schedule& schedule_;
    const Layout& layout_;
    const PacketSlots& packets_;
};

// The memory of an endpoint called `path` is too small for the job.
InputError no_room_for(const std::string& job, const std::string& path, std::uint64_t capacity);

// The memory of an endpoint called `path` has no room for the tensor of a node.
InputError no_room_for_tensor(const std::string& node, std::uint64_t bytes, const std::string& path,
    const DeviceMemory& memory);

// The groups of a job, by the numbers that `registry` gives them. Throws InputError where a step names a rank twice, what the registry
// refuses, and without a registry all steps in switches.
void number_groups(SwitchUse& use, const Job& job, GroupRegistry* registry);

// Throws InputError as an executor that begins with this job would: `schedule` is the one that is carried out for it, `paths` and
// `capacities` are those of the endpoints.
void require_room(const Job& job, const EngineSpec& engine, const std::vector<std::string>& paths,
    const std::vector<std::uint64_t>& capacities, GroupRegistry* registry);

}  // namespace weft
