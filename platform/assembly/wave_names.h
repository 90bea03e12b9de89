// Whether the names of --wave are those of blocks of RTL, before any of these is verilated.
#pragma once

#include "platform/assembly/fabric_plan.h"
#include "platform/assembly/model_registry.h"

namespace weft {

// Throws what Waves::check_taken() does for an entry whose name, or one of whose numbers, no module of this run has that may hold RTL
// (ModelDeclaration::without_rtl). Of those that remain check_taken() knows more, when the blocks exist.
void require_wave_names(const ModelRegistry& registry, const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
