// Which parts a run is cut into, and what cannot be cut.
//
// A model that needs the SystemC kernel is in no run that is cut. Links of blocks behind pins stay whole, so such a block is in one part with its
// neighbours; so do links with retry, with credit messages or a pool of credits, and those of replay GPUs (docs/models/parallel.md says why).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/model_registry.h"
#include "platform/configuration/parts_file.h"
#include "platform/configuration/resolved_system.h"
#include "platform/parallel/partition.h"

namespace weft {

constexpr std::uint32_t most_partitions = 65535;  // ranks of a run

struct CutPlan {
    std::vector<NodeId> nodes;  // that are used: members in rank order, then others
    CutGraph graph;             // of these
    Partition partition;

    std::string text() const { return partition_text(graph, partition); }
};

// Throws InputError for a system that cannot be cut, or not into so many parts. `beyond`: by node, whether it is flow in a mixed run; these nodes stay
// together, and weigh nothing. Null: none is.
CutPlan cut_plan(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    std::uint32_t parts, const std::vector<bool>* beyond = nullptr);
CutPlan cut_plan(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
    const PartsFile& parts, const std::vector<bool>* beyond = nullptr);

}  // namespace weft
