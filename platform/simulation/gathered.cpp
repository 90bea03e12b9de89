#include "platform/simulation/gathered.h"

#include <algorithm>
#include <array>

#include "base/statistic_table.h"
#include "collectives/schedule/theory/theory.h"

namespace weft {

namespace {

// Statistics of the fabric ports of an accelerator.
template <class Ports>
void add_ports(const std::string& path, const std::string& model, const Ports& ports, std::vector<ModuleResult>& out)
{
    for (std::size_t p = 0; p < ports.size(); ++p)
        out.push_back({path + ".port." + std::to_string(p), "port", model, ports[p].statistics(), {}});
}

// A cache as a whole, and slice by slice what waits did there if they did anything.
template <class Slices>
ModuleResult cache_result(const std::string& path, const char* kind, const std::string& model, const Slices& slices)
{
    ModuleResult out{path, kind, model, summed_statistics(slices), {}};
    std::vector<std::uint64_t> reads;
    std::vector<std::uint64_t> waiters;
    std::vector<std::uint64_t> wakes;
    bool any = false;
    for (const auto& slice : slices) {
        const SliceModel::FlagCounts counts = slice_in(slice).flag_counts();
        reads.push_back(counts.reads);
        waiters.push_back(counts.waiters);
        wakes.push_back(counts.wakes);
        any = any || counts.reads > 0;
    }
    if (any) out.by_slice = {{"flag_reads", reads}, {"flag_waiters", waiters}, {"flag_wakes", wakes}};
    return out;
}

}  // namespace

std::vector<RankResult> rank_results(const System& system, const FabricPlan& plan, const RunWorkload& load,
    std::size_t accelerators)
{
    std::vector<RankResult> out;
    const std::vector<Gpu*> gpus = system.gpus();
    const std::vector<Time> finish = load.finish_times();
    for (std::uint32_t rank = 0; rank < accelerators; ++rank) {
        RankResult result;
        result.rank = rank;
        result.node = plan.fabric.nodes[plan.members[rank]].name;
        if (rank < finish.size()) result.finish_ps = finish[rank];
        StallTimes stalls{};
        std::uint64_t works = 0;
        if (gpus[rank] != nullptr) {
            stalls = gpus[rank]->units().stalls();
            const StallTimes of_lists = gpus[rank]->dma_engines().stalls();
            for (unsigned cause = 0; cause < stall_causes; ++cause) stalls[cause] += of_lists[cause];
            works = gpus[rank]->units().workgroups() + gpus[rank]->dma_engines().lists();
        }
        for (unsigned cause = 0; cause < stall_causes; ++cause)
            result.stall_ps.emplace_back(name_of(static_cast<StallCause>(cause)),
                stalls[cause] / std::max<std::uint64_t>(1, works));
        out.push_back(std::move(result));
    }
    return out;
}

std::vector<std::vector<ModuleResult>> module_results(const System& system, const ResolvedSystem& resolved,
    const FabricPlan& plan)
{
    std::vector<std::vector<ModuleResult>> places;
    const std::vector<Gpu*> gpus = system.gpus();
    const std::vector<ReplayGpu*> replays = system.replays();
    for (std::uint32_t rank = 0; rank < gpus.size(); ++rank) {
        std::vector<ModuleResult>& out = places.emplace_back();
        const std::string& model = resolved.model(plan.members[rank]);
        if (const ReplayGpu* replay = replays[rank]) {
            out.push_back({replay->path() + ".replay", "replay", model, replay->statistics(), {}});
            add_ports(replay->path(), model, replay->ports(), out);
        }
        if (gpus[rank] == nullptr) continue;
        const Gpu& gpu = *gpus[rank];
        if (resolved.role(plan.members[rank]) != NodeRole::memory)
            out.push_back({gpu.path() + ".units", "gpu", model, gpu.units().statistics(), {}});
        out.push_back({gpu.path() + ".network", "network", model, gpu.network().statistics(), {}});
        const std::string& slice = resolved.slice_model(plan.members[rank]);
        out.push_back(cache_result(gpu.path() + ".l2", "l2", gpu.l2_spec().ours() ? model : slice, gpu.slices()));
        if (gpu.memory_side() != nullptr)
            out.push_back(cache_result(gpu.path() + ".memory_side", "memory_side", model, gpu.memory_side()->slices()));
        const NodeId node = plan.members[rank];
        out.push_back({gpu.path() + ".hbm", "hbm", resolved.hbm(node).ours() ? model : resolved.memory_model(node),
            gpu.hbm().statistics(), {}});
        if (gpu.dma_engines().copied() > 0)
            out.push_back({gpu.path() + ".copy", "copy", model, gpu.dma_engines().copy_statistics(), {}});
        if (gpu.dma_engines().bulk_copied() > 0)
            out.push_back({gpu.path() + ".bulk", "bulk", model, gpu.dma_engines().bulk_statistics(), {}});
        add_ports(gpu.path(), model, gpu.ports(), out);
    }
    for (const System::SwitchPlace& place : system.switches()) {
        places.emplace_back();
        if (place.module != nullptr)
            places.back().push_back({place.path, "switch", place.model, place.module->statistics(), {}});
    }
    // Blocks: what their packets are can be counted.
    for (const FabricModules::LinkPlace& place : system.fabric().links()) {
        const std::string& model = resolved.link_model(place.edge);
        if (model == "link") continue;
        places.emplace_back();
        if (place.link != nullptr)
            places.back().push_back(
                {edge_name(resolved.graph(), place.edge), "link", model, place.link->statistics(), {}});
    }
    return places;
}

std::vector<std::string> undeclared_statistics(const std::vector<ModuleResult>& modules, const ModelRegistry& registry)
{
    std::vector<std::string> out;
    for (const ModuleResult& module : modules) {
        const StatisticTable* table = registry.statistics_of(module.kind, module.model);
        if (table == nullptr) continue;
        for (const std::string& problem : statistic_problems(*table, module.statistics)) {
            std::string line = module.kind + " model " + module.model + " " + problem;
            if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(std::move(line));
        }
    }
    return out;
}

std::string proved(const Executor& executor)
{
    const std::vector<JobRecord>& records = executor.records();
    const bool known = std::any_of(records.begin(), records.end(),
        [](const JobRecord& record) { return record.op != CollectiveOp::custom; });
    return known ? "passed" : "off";
}

std::vector<CollectiveResult> collective_results(const Executor& executor)
{
    std::vector<CollectiveResult> out;
    for (const JobRecord& record : executor.records()) {
        if (!record.reported) continue;
        CollectiveResult result;
        result.op = name_of(record.op);
        result.algorithm = record.algorithm;
        result.protocol = record.protocol;
        result.element = name_of(record.type);
        if (has_reduction(record.op)) result.reduction = name_of(record.reduction);
        result.price = record.price;
        result.name = record.name;
        if (record.group) {
            result.group = record.group->number;
            result.members = record.group->ranks;
        }
        result.ranks = record.ranks;
        result.bytes = record.bytes;
        result.finished = record.finished;
        result.start_ps = record.start;
        result.end_ps = record.end;
        if (record.finished && record.end > record.start) {
            result.algbw_GBps =
                static_cast<double>(record.bytes) * 1e3 / static_cast<double>(record.end - record.start);
            result.busbw_GBps = result.algbw_GBps * bus_factor(record.op, record.ranks);
        }
        out.push_back(std::move(result));
    }
    return out;
}

void add_theory(const FabricModules& fabric, const std::optional<std::vector<double>>& payload,
    std::vector<LinkResult>& links)
{
    if (!payload) return;
    for (std::size_t l = 0; l < fabric.links().size(); ++l)
        for (unsigned end = 0; end < 2; ++end)
            links[2 * l + end].theory_payload = (*payload)[2 * fabric.links()[l].edge + end];
}

}  // namespace weft
