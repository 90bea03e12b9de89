#include "platform/configuration/around_parts.h"

#include <set>

#include "sc_models/l2/l2_spec.h"
#include "sc_models/memory/hbm_spec.h"
#include "sc_models/memory_side_spec.h"

namespace weft {

namespace {

template <class Spec>
Spec spec_at(const ResolvedSystem& system, NodeId node)
{
    return spec_from<Spec>(system.values(block_of<Spec>(), system.variant(node, block_of<Spec>())).values);
}

// Estimates choose the algorithm, so what they read changes a run.
bool chooses_by_estimate(const Workload& workload)
{
    return workload.algorithm == "auto" || workload.algorithm == "synthesize";
}

// The on-die network has a way to each slice, deals lines out to them and knows of partitions. Alpha-beta and estimates take the latency.
bool around_slice(const ResolvedSystem& system, NodeId node, const std::string& name)
{
    const auto l2 = spec_at<L2Spec>(system, node);
    static const std::set<std::string> always{"model", "slices", "line", "partitions", "latency"};
    if (name == "partition_policy") return l2.partitions > 1;
    if (name == "far_latency") return l2.mirrored();
    return always.count(name) > 0;
}

// Addresses end at the capacity, a memory-side cache has a slice for each channel, compute nodes of traces take their roofline.
bool around_memory(const ResolvedSystem& system, NodeId node, const std::string& name)
{
    static const std::set<std::string> of_estimates{"request_latency", "response_latency", "t_rcd", "t_cl", "t_ccd_l",
        "burst", "bandwidth", "channels"};
    if (name == "model" || name == "capacity") return true;
    if (name == "channels" && spec_at<MemorySideSpec>(system, node).present()) return true;
    if (name == "bandwidth" && system.workload.kind == Workload::Kind::trace) return true;
    return chooses_by_estimate(system.workload) && of_estimates.count(name) > 0;
}

}  // namespace

bool read_around_part(const ResolvedSystem& system, NodeId node, Block block, std::size_t parameter)
{
    const std::string& name = info_of(block).parameters[parameter]->name;
    if (block == block_of<L2Spec>()) return around_slice(system, node, name);
    return block == block_of<HbmSpec>() && around_memory(system, node, name);
}

}  // namespace weft
