#include "platform/workload/idle_copies.h"

#include <algorithm>

#include <fmt/format.h>

#include "collectives/engine/engine_spec.h"
#include "gpu/interface/dma_spec.h"
#include "gpu/interface/gpu_spec.h"
#include "platform/configuration/idle/set_parameters.h"

namespace weft {

namespace {

bool by_port(const Step& step) { return step.channel == StepChannel::port; }

bool has_packets(const Step& step)
{
    const auto packet = [](const ChunkRef& operand) { return operand.buffer == Buffer::packets; };
    return std::any_of(step.sources.begin(), step.sources.end(), packet) ||
        std::any_of(step.destinations.begin(), step.destinations.end(), packet);
}

// What carries out a schedule whose copies are left to engines (collectives/engine/lines/lowering.cpp).
struct Carriers {
    bool copies = false;  // moves of one source
    bool units = false;   // moves that wavefronts or switches carry out
    bool lists = false;   // threads that move nothing, which are lists of copy engines
    bool ports = false;
    std::size_t threads = 0;  // of a rank, at most
};

Carriers carriers_of(const Schedule& schedule)
{
    Carriers out;
    for (const RankPlan& rank : schedule.ranks) {
        out.threads = std::max(out.threads, rank.threads.size() * schedule.channels);
        for (const Thread& thread : rank.threads) {
            bool moves = false;
            for (const Step& step : thread.steps) {
                out.ports = out.ports || by_port(step);
                if (!is_data(step.kind)) continue;
                moves = true;
                const bool copy = !in_switch(step.kind) && step.sources.size() == 1;
                out.copies = out.copies || copy;
                out.units = out.units || !copy || has_packets(step);
            }
            out.lists = out.lists || (!thread.steps.empty() && !moves);
        }
    }
    return out;
}

// The parameters of a block that somebody has set, of those that `idle` says have no effect.
template <class Spec, class Idle>
std::vector<std::string> set_in_vain(const ResolvedSystem& system, const Idle& idle)
{
    const Block block = block_of<Spec>();
    const BlockInfo& info = info_of(block);
    SetParameters found(system, block);
    for (const VariantId id : system.variants(block)) {
        if (id == no_variant) continue;
        found.add(system.values(block, id),
            [&](std::size_t parameter) { return !idle(info.parameters[parameter]->name); });
    }
    std::vector<std::string> out;
    for (const std::size_t parameter : found.without_effect()) out.push_back(info.path_of(parameter));
    return out;
}

template <class Spec>
void note_engines(const ResolvedSystem& system, const char* why, std::vector<std::string>& out)
{
    for (const std::string& path : set_in_vain<Spec>(system, [](const std::string&) { return true; }))
        out.push_back(path + " is set and changes nothing: " + why);
}

bool among(const std::string& name, std::initializer_list<const char*> names)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Parameters of what wavefronts do with data, flags and fences. Those of data count for a background kernel. A workgroup with a unit to
// itself has its place whatever its wavefronts.
void note_wavefronts(const ResolvedSystem& system, const Carriers& carriers, std::vector<std::string>& out)
{
    const bool lists = system.engine().mover == Mover::copy_engine;
    const bool beside = !system.workload.beside.empty();
    std::uint64_t units = ~std::uint64_t{0};
    const Block gpus = block_of<GpuSpec>();
    for (const VariantId id : system.variants(gpus))
        if (id != no_variant) units = std::min(units, spec_from<GpuSpec>(system.values(gpus, id).values).compute_units);
    const bool placed = lists || (!beside && carriers.threads <= units);
    std::vector<std::string> set = set_in_vain<EngineSpec>(system, [&](const std::string& name) {
        return name == "unroll" || (name == "wavefronts" && placed) || (name == "vector" && !beside) ||
            (name == "poll_lanes" && lists);
    });
    for (std::string& path : set_in_vain<GpuSpec>(system, [&](const std::string& name) {
             return (name == "coalesce" && !beside) || (name == "outstanding" && lists && !beside) ||
                 (lists && among(name, {"fence_latency", "spin_interval", "wait_policy"}));
         }))
        set.push_back(std::move(path));
    if (set.empty()) return;
    out.push_back(fmt::format("{} {} set and change{} nothing: {} all data of this collective", fmt::join(set, ", "),
        set.size() == 1 ? "is" : "are", set.size() == 1 ? "s" : "",
        lists ? "lists of copy engines move, signal and wait for" : "bulk copies move"));
}

}  // namespace

std::vector<std::string> idle_copies(const ResolvedSystem& system, const Schedule& schedule)
{
    std::vector<std::string> out;
    const EngineSpec& engine = system.engine();
    if (engine.mover == Mover::units || engine.channel == EngineChannel::port) return out;
    const Carriers carriers = carriers_of(schedule);
    if (carriers.ports) return out;
    const bool lists = engine.mover == Mover::copy_engine;
    if (lists && !carriers.copies && !carriers.lists)
        note_engines<CopySpec>(system, "all steps of this collective run on units or in switches", out);
    if (!lists && !carriers.copies)
        note_engines<BulkSpec>(system, "no step of this collective is a copy from one place, as bulk copies are", out);
    if (carriers.copies && !carriers.units) note_wavefronts(system, carriers, out);
    return out;
}

}  // namespace weft
