// MSCCL++ execution plans (JSON) into a Schedule.
//
// A thread block becomes a thread, an operation one or several steps. What lies in scratch in packet form becomes
// Buffer::packets, slot by slot. Every channel end is a semaphore of its rank; semaphores between blocks of a gpu are
// signals of a rank to itself. A port's put is complete before the next step here, which makes no
// right plan wrong. Relaxed signals and waits are steps like others, named in Plan::relaxed. Data operations of a block with no nop
// between them run as one where they do not touch each other's chunks. Pipelines are unrolled; their rounds are parts
// of the operands.
#pragma once

#include <string>

#include "collectives/plans/plan.h"

namespace weft {

Plan read_mscclpp_json(const std::string& text, const std::string& file, const PlanOptions& options = {});

}  // namespace weft
