#include "platform/applications/flow/device_cost_of.h"

#include <algorithm>
#include <limits>

#include "base/line_size.h"
#include "platform/choice/cost_graph_of.h"
#include "sc_models/memory/hbm_timing.h"

namespace weft {

namespace {

// How long a line takes at a rate; 0: no limit.
double line_ps(double bytes_per_s)
{
    return bytes_per_s > 0 ? static_cast<double>(line_bytes) * 1e12 / bytes_per_s : 0;
}

// The rate that memory sustains, lines in order: refreshes of all banks stop it (docs/models/gpu.md, "Throughput").
double sustained(const HbmSpec& hbm)
{
    constexpr double around_ps = 40'000;  // of a refresh: rows are closed before it, and opened again
    const double lost = hbm.refresh == RefreshMode::all_bank
        ? (static_cast<double>(hbm.t_rfc) + around_ps) / static_cast<double>(hbm.t_refi)
        : 0;
    return static_cast<double>(hbm.bandwidth) * std::max(0.1, 1 - lost);
}

}  // namespace

double write_places_of(const ResolvedSystem& system, NodeId node)
{
    const L2Spec& l2 = system.l2(node);
    const HbmSpec& hbm = system.hbm(node);
    if (l2.outstanding_write_backs == 0) return std::numeric_limits<double>::infinity();
    const std::uint64_t of_slice = l2.outstanding_write_backs * (l2.mirrored() ? l2.partitions : 1);
    return static_cast<double>(l2.slices * of_slice + hbm.channels * hbm.write_queue);
}

DeviceCost device_cost_of(const ResolvedSystem& system, NodeId node)
{
    const GpuSpec& gpu = system.gpu(node);
    const L2Spec& l2 = system.l2(node);
    const L1Spec& l1 = system.l1(node);
    const NetworkSpec& network = system.network(node);
    const HbmSpec& hbm = system.hbm(node);
    const EngineSpec& engine = system.engine();
    DeviceCost out;
    out.units = static_cast<std::uint32_t>(gpu.compute_units);
    out.groups = static_cast<std::uint32_t>(gpu.workgroups_per_unit);
    out.wavefronts = static_cast<std::uint32_t>(gpu.wavefronts_per_unit);
    out.issue_line_ps =
        1e12 / static_cast<double>(gpu.clock) * static_cast<double>(line_bytes) / static_cast<double>(gpu.coalesce);
    out.outstanding = static_cast<double>(gpu.outstanding);
    out.network_line_ps = line_ps(static_cast<double>(network.unit_rate));
    out.store_line_ps = line_ps(static_cast<double>(network.out_of_unit()));
    out.flop_ps = 1e12 * static_cast<double>(gpu.compute_units) / static_cast<double>(gpu.peak_flops);
    out.to_cache_ps = gpu.unit_to_l2;
    out.cache_ps = l2.latency;
    out.from_cache_ps = gpu.l2_to_unit;
    out.port_to_cache_ps = gpu.port_to_l2;
    double cache = static_cast<double>(l2.bandwidth);
    if (network.slice_rate > 0) cache = std::min(cache, static_cast<double>(network.slice_rate * l2.slices));
    out.cache_line_ps = line_ps(cache);
    out.slices = static_cast<std::uint32_t>(l2.slices);
    out.slice_lines = 1U << l2.interleave_shift();
    out.cache_bytes = l2.size;
    out.copies = static_cast<std::uint32_t>(l2.partitions);
    out.memory_ps = idle_read(hbm);
    if (l2.separate()) out.side_ps = 2 * system.memory_side(node).hop + system.memory_side(node).latency;
    out.memory_ps += out.side_ps;
    out.memory_line_ps = line_ps(sustained(hbm));
    out.write_places = write_places_of(system, node);
    out.queued_writes = static_cast<double>(hbm.write_high * hbm.channels);
    out.l1_bytes = l1.size;
    out.l1_ps = l1.latency;
    out.l1_line_ps = line_ps(static_cast<double>(l1.bandwidth));
    out.thread_wavefronts = static_cast<std::uint32_t>(wavefronts_of_workgroup(engine, gpu));
    out.instruction_lines =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, gpu.lanes * engine.vector / line_bytes));
    return out;
}

}  // namespace weft
