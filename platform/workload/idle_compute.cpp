#include "platform/workload/idle_compute.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "collectives/engine/engine_spec.h"
#include "gpu/interface/gpu_spec.h"
#include "platform/configuration/idle/set_parameters.h"

namespace weft {

namespace {

constexpr std::array<std::string_view, 5> of_products{"compute_model", "arrays", "array_rows", "array_columns",
    "array_clock"};

// What nodes there would have to be for the parameter to count; null: there are some, or it is of something else.
const char* missing(std::string_view name, const TraceEngine::Operations& all, bool beside)
{
    if (std::find(of_products.begin(), of_products.end(), name) != of_products.end())
        return all.products == 0 ? "that states a product of matrices (gemm_*) and follows its roofline" : nullptr;
    if (name == "peak_flops") return all.rooflines == 0 && !beside ? "that follows its roofline" : nullptr;
    return nullptr;
}

template <class Spec, class Missing>
void note(const ResolvedSystem& system, const Missing& what_is_missing, std::vector<std::string>& out)
{
    const BlockInfo& block = system.blocks()[block_of<Spec>()];
    SetParameters found(system, block_of<Spec>());
    for (const VariantId id : system.variants(block_of<Spec>()))
        if (id != no_variant)
            found.add(system.values(block_of<Spec>(), id),
                [&](std::size_t i) { return what_is_missing(block.parameters[i]->name) == nullptr; });
    for (const std::size_t parameter : found.without_effect())
        out.push_back(block.path_of(parameter) + " is set and changes nothing: the trace has no compute node " +
            what_is_missing(block.parameters[parameter]->name));
}

}  // namespace

std::vector<std::string> idle_compute(const ResolvedSystem& system, const TraceEngine::Operations& all)
{
    std::vector<std::string> out;
    const bool beside = !system.workload.beside.empty();
    note<GpuSpec>(
        system, [&](std::string_view name) { return missing(name, all, beside); }, out);
    const bool kernels = system.engine().compute == ComputeMode::kernel;
    note<EngineSpec>(
        system,
        [&](std::string_view name) -> const char* {
            const bool of_kernels = name == "compute_workgroups" || (name == "compute" && kernels);
            return of_kernels && all.nodes == 0 ? "of an accelerator" : nullptr;
        },
        out);
    return out;
}

}  // namespace weft
