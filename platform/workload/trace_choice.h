// `algorithm: auto` and `algorithm: synthesize` for the collectives of a trace: chosen for each operation, group and size,
// once; groups whose links and ranks cost the same share a choice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/schedule/schedule.h"
#include "collectives/synthesis/cost_graph.h"
#include "platform/configuration/resolved_system.h"
#include "platform/workload/pricing_line.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

class TraceChoice {
public:
    // Both must outlive it.
    TraceChoice(const ResolvedSystem& system, const FabricPlan& plan, bool progress)
        : system_(system), plan_(plan), line_(progress)
    {
    }

    // Of `bytes` (layout.h) among these endpoints, with so many channels. Throws InputError when nothing has a price.
    std::shared_ptr<const Schedule> schedule(CollectiveOp op, const std::vector<std::uint32_t>& members,
        std::uint64_t bytes, std::uint32_t channels);

    // The choices, one line for each kind of collective, in the order in which they came.
    std::vector<std::string> notices() const;

private:
    using Key = std::tuple<CollectiveOp, std::vector<std::uint32_t>, std::uint64_t, std::uint32_t>;

    struct Chosen {
        CollectiveOp op;
        std::uint64_t bytes;
        std::uint32_t channels;
        CostGraph graph;
        std::shared_ptr<const Schedule> schedule;
    };

    const ResolvedSystem& system_;
    const FabricPlan& plan_;
    PricingLine line_;
    std::vector<Chosen> by_costs_;
    std::map<Key, std::shared_ptr<const Schedule>> made_;
    std::vector<std::string> chosen_;
};

}  // namespace weft
