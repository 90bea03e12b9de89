#include "platform/workload/idle_copies.h"

#include <algorithm>

#include "gpu/interface/dma_spec.h"
#include "platform/configuration/idle/set_parameters.h"

namespace weft {

namespace {

// Lists have moves of one source, and threads that move nothing (collectives/engine/lines/lowering.cpp).
bool has_lists(const Thread& thread)
{
    const auto moves = [](const Step& step) { return is_data(step.kind); };
    const auto copies = [](const Step& step) {
        return is_data(step.kind) && !in_switch(step.kind) && step.sources.size() == 1;
    };
    return !thread.steps.empty() &&
        (std::none_of(thread.steps.begin(), thread.steps.end(), moves) ||
            std::any_of(thread.steps.begin(), thread.steps.end(), copies));
}

bool by_port(const Step& step) { return step.channel == StepChannel::port; }

bool uses_engines(const Schedule& schedule)
{
    for (const RankPlan& rank : schedule.ranks)
        for (const Thread& thread : rank.threads)
            if (has_lists(thread) || std::any_of(thread.steps.begin(), thread.steps.end(), by_port)) return true;
    return false;
}

}  // namespace

std::vector<std::string> idle_copies(const ResolvedSystem& system, const Schedule& schedule)
{
    std::vector<std::string> out;
    const EngineSpec& engine = system.engine();
    if (engine.mover != Mover::copy_engine || engine.channel == EngineChannel::port || uses_engines(schedule))
        return out;
    const Block block = block_of<CopySpec>();
    SetParameters found(system, block);
    for (const VariantId id : system.variants(block))
        if (id != no_variant) found.add(system.values(block, id), [](std::size_t) { return false; });
    for (const std::size_t parameter : found.without_effect())
        out.push_back(info_of(block).path_of(parameter) +
            " is set and changes nothing: all steps of this collective run on units or in switches");
    return out;
}

}  // namespace weft
