// A switch beside the links of a GpuBox: one link to every GPU, for operations on groups only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "collectives/engine/lines/group_registry.h"
#include "gpu/gpu.h"
#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/switch/switch.h"

namespace weft::testing {

class BoxSwitch : public GroupRegistry {
public:
    // `port` of every GPU is linked to it.
    BoxSwitch(EventQueue& event_queue, LinePool& pool, const std::vector<std::unique_ptr<Gpu>>& gpus,
        const LinkSpec& link, const SwitchSpec& spec, unsigned port);

    std::uint16_t group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& outsiders,
        ElementType type, ReduceOp op) override;

    // Operations on groups that it has carried out.
    std::uint64_t operations() const;

private:
    LinePool& pool_;
    const std::vector<std::unique_ptr<Gpu>>& gpus_;
    unsigned port_;
    std::unique_ptr<Switch> hub_;
    std::vector<std::unique_ptr<Link>> links_;
    std::map<std::tuple<std::vector<std::uint32_t>, std::vector<std::uint32_t>, ElementType, ReduceOp>, std::uint16_t>
        known_;
};

}  // namespace weft::testing
