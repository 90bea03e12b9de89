// Parameters of what runs (engine.*, copy.*, bulk.*, the model of compute nodes) that this workload does not need.
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "gpu/interface/dma_spec.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/kernels/gemm.h"
#include "platform/configuration/idle/idle_values.h"
#include "platform/configuration/idle/set_parameters.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

namespace {

struct Need {
    const char* parameter;
    bool (*counts)(const Workload& workload);
    const char* what;
};

const char* const a_trace = "a trace";
const char* const no_plan = "a workload without a plan, which has channels of its own";
const char* const dimensions = "the algorithm multi_dim";
const char* const data = "a collective that moves data, which a barrier does not";

bool of_trace(const Workload& workload) { return workload.kind == Workload::Kind::trace; }
bool without_plan(const Workload& workload) { return workload.plan.empty(); }
bool by_dimensions(const Workload& workload)
{
    return workload.algorithm == "multi_dim" || workload.algorithm == "auto";
}

bool moves_data(const Workload& workload)
{
    return workload.kind != Workload::Kind::collective || !workload.plan.empty() || workload.collective != "barrier";
}

// Requests of port channels go through a proxy.
bool of_proxy(const std::string& name)
{
    return name == "request_latency" || name == "proxy_poll" || name == "proxy_service";
}

const std::vector<Need>& engine_needs()
{
    static const std::vector<Need> needs{{"compute_in_flight", of_trace, a_trace},
        {"communication_in_flight", of_trace, a_trace}, {"collective_order", of_trace, a_trace},
        {"channel_share", of_trace, a_trace}, {"memory_nodes", of_trace, a_trace}, {"compute", of_trace, a_trace},
        {"compute_time", of_trace, a_trace}, {"compute_workgroups", of_trace, a_trace},
        {"channels", without_plan, no_plan}, {"channel_bytes", without_plan, no_plan},
        {"dimension_order", by_dimensions, dimensions}, {"dimension_queue", by_dimensions, dimensions},
        {"dimension_chunks", by_dimensions, dimensions}, {"dimension_streams", by_dimensions, dimensions},
        {"channels", moves_data, data}, {"channel_bytes", moves_data, data}, {"wavefronts", moves_data, data},
        {"unroll", moves_data, data}, {"vector", moves_data, data}, {"protocol", moves_data, data},
        {"staging", moves_data, data}};
    return needs;
}

// `needs`: what a parameter needs that this run does not have, by its name; null where it counts.
template <class Spec, class Needs>
void note_block(const ResolvedSystem& system, const Needs& needs, std::vector<std::string>& out)
{
    const BlockInfo& info = info_of(block_of<Spec>());
    SetParameters found(system, block_of<Spec>());
    for (const VariantId id : system.variants(block_of<Spec>()))
        if (id != no_variant)
            found.add(system.values(block_of<Spec>(), id),
                [&](std::size_t parameter) { return needs(info.parameters[parameter]->name) == nullptr; });
    for (const std::size_t parameter : found.without_effect())
        out.push_back(info.path_of(parameter) + " is set and changes nothing: it needs " +
            needs(info.parameters[parameter]->name));
}

// Waiting atomics are no polls. Packets are polled whatever the policy is; plans may have some.
void note_polls(const ResolvedSystem& system, const EngineSpec& engine, const Workload& workload,
    std::vector<std::string>& out)
{
    if (engine.protocol != Protocol::simple || !workload.plan.empty()) return;
    const Block block = block_of<GpuSpec>();
    const std::size_t interval = *info_of(block).find("spin_interval");
    SetParameters found(system, block);
    for (const VariantId id : system.variants(block)) {
        if (id == no_variant) continue;
        const Variant& variant = system.values(block, id);
        const bool polls = spec_from<GpuSpec>(variant.values).wait_policy != WaitPolicy::waiting_atomic;
        found.add(variant, [&](std::size_t parameter) { return polls || parameter != interval; });
    }
    if (!found.without_effect().empty())
        out.push_back("gpu.spin_interval is set and changes nothing: it needs another gpu.wait_policy than "
                      "waiting_atomic, or engine.protocol=ll or ll128");
}

// Groups of switches, with an algorithm whose steps are stores and loads.
void note_groups(const ResolvedSystem& system, const Workload& workload, std::vector<std::string>& out)
{
    CollectiveOp op = CollectiveOp::custom;
    if (of_trace(workload) || !workload.plan.empty() || !collective_from_name(workload.collective, op)) return;
    const std::string algorithm = workload.algorithm.empty() ? algorithm_names(op).front() : workload.algorithm;
    const AlgorithmInfo* const info = algorithm_info(op, algorithm);
    if (info == nullptr || info->carrier == Carrier::in_switch) return;
    const BlockInfo& block = info_of(block_of<SwitchSpec>());
    const auto of_groups = [&block](std::size_t parameter) {
        const std::string& name = block.parameters[parameter]->name;
        return name == "multicast_groups" || name == "group_contexts" || name == "reduce_rate";
    };
    SetParameters found(system, block_of<SwitchSpec>());
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        const VariantId id = system.variant(node, block_of<SwitchSpec>());
        // Others may have ports for their groups.
        if (id == no_variant || system.role(node) != NodeRole::forwarder || system.model(node) == "crossbar") continue;
        found.add(system.values(block_of<SwitchSpec>(), id),
            [&](std::size_t parameter) { return system.model(node) != "switch" || !of_groups(parameter); });
    }
    for (const std::size_t parameter : found.without_effect())
        out.push_back(fmt::format("{} is set and changes nothing: the algorithm {} has no steps in switches",
            block.path_of(parameter), algorithm));
}

// Arrays stand in for gpu.peak_flops where products of matrices run: said where they are another machine.
void note_arrays(const ResolvedSystem& system, std::vector<std::string>& out)
{
    constexpr double alike = 0.1;
    for (const VariantId id : system.variants(block_of<GpuSpec>())) {
        if (id == no_variant) continue;
        const auto gpu = spec_from<GpuSpec>(system.values(block_of<GpuSpec>(), id).values);
        if (gpu.compute_model == ComputeModel::roofline || gpu.peak_flops == 0) continue;
        const double flops = 2.0 * static_cast<double>(gpu.arrays * gpu.array_rows * gpu.array_columns) *
            static_cast<double>(gpu.array_clock);
        if (std::abs(flops / static_cast<double>(gpu.peak_flops) - 1) < alike) continue;
        out.push_back(fmt::format("compute nodes that state a product of matrices (gemm_*) take {} of {} x {} at "
                                  "{:.4g} MHz, {:.4g} TFLOP/s, in place of "
                                  "gpu.peak_flops = {:.4g} TFLOP/s",
            gpu.arrays == 1 ? "an array" : fmt::format("{} arrays", gpu.arrays), gpu.array_rows, gpu.array_columns,
            static_cast<double>(gpu.array_clock) / 1e6, flops / 1e12, static_cast<double>(gpu.peak_flops) / 1e12));
        return;
    }
}

// A workgroup has no more wavefronts than its unit has places for.
void note_wavefronts(const ResolvedSystem& system, std::uint64_t asked, std::vector<std::string>& out)
{
    for (const VariantId id : system.variants(block_of<GpuSpec>())) {
        if (id == no_variant) continue;
        const auto gpu = spec_from<GpuSpec>(system.values(block_of<GpuSpec>(), id).values);
        if (gpu.wavefronts_per_unit >= asked) continue;
        out.push_back(fmt::format("engine.wavefronts is {}, but units have places for gpu.wavefronts_per_unit = {}: "
                                  "workgroups run with {}",
            asked, gpu.wavefronts_per_unit, gpu.wavefronts_per_unit));
        return;
    }
}

// The same of a background kernel.
void note_kernel_wavefronts(const ResolvedSystem& system, std::vector<std::string>& out)
{
    for (const VariantId id : system.variants(block_of<GpuSpec>())) {
        if (id == no_variant) continue;
        const auto gpu = spec_from<GpuSpec>(system.values(block_of<GpuSpec>(), id).values);
        if (gpu.wavefronts_per_unit >= Gemm::wavefronts) continue;
        out.push_back(fmt::format("workgroups of the background kernel have {} wavefronts, but units have places for "
                                  "gpu.wavefronts_per_unit = {}: they run with {}",
            Gemm::wavefronts, gpu.wavefronts_per_unit, gpu.wavefronts_per_unit));
        return;
    }
}

}  // namespace

void note_idle_engine(const ResolvedSystem& system, const Workload& workload, std::vector<std::string>& out)
{
    if (workload.kind == Workload::Kind::none) return;
    const Block block = block_of<EngineSpec>();
    const auto engine = spec_from<EngineSpec>(system.values(block, system.variants(block).front()).values);
    note_block<EngineSpec>(
        system,
        [&workload, &engine](const std::string& name) -> const char* {
            for (const Need& need : engine_needs())
                if (name == need.parameter && !need.counts(workload)) return need.what;
            if (name == "compute_workgroups" && engine.compute == ComputeMode::time) return "engine.compute=kernel";
            return nullptr;
        },
        out);
    const bool by_port =
        engine.channel == EngineChannel::port || (engine.channel == EngineChannel::any && !workload.plan.empty());
    if (engine.mover != Mover::copy_engine && !by_port)
        note_block<CopySpec>(
            system, [](const std::string&) { return "engine.mover=copy_engine or engine.channel=port"; }, out);
    if (engine.mover == Mover::copy_engine && !by_port)
        note_block<CopySpec>(
            system, [](const std::string& name) { return of_proxy(name) ? "engine.channel=port" : nullptr; }, out);
    if (engine.mover != Mover::bulk)
        note_block<BulkSpec>(
            system, [](const std::string&) { return "engine.mover=bulk"; }, out);
    if (!of_trace(workload))
        note_block<GpuSpec>(
            system,
            [&workload](const std::string& name) -> const char* {
                if (name == "compute_model") return a_trace;
                return name == "peak_flops" && workload.beside.empty() ? "a trace or a background kernel" : nullptr;
            },
            out);
    if (of_trace(workload)) note_arrays(system, out);
    note_wavefronts(system, engine.wavefronts, out);
    if (!workload.beside.empty()) note_kernel_wavefronts(system, out);
    note_polls(system, engine, workload, out);
    note_groups(system, workload, out);
    const bool chosen = workload.algorithm == "auto" || workload.algorithm == "synthesize";
    if (chosen && (engine.mover != Mover::units || engine.channel == EngineChannel::port))
        out.push_back("the algorithm " + workload.algorithm + " estimates as if compute units moved the data; with " +
            (engine.mover != Mover::units ? "engine.mover" : "engine.channel") +
            " as it is here another one may be faster");
}

}  // namespace weft
