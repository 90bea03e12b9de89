// Runs a schedule on real bytes, without time: the reference that a simulated run is compared with,
// bit by bit (floating-point sums depend on the order of operands, which the schedule fixes).
#pragma once

#include <cstdint>
#include <vector>

#include "base/element.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"

namespace weft {

// The three memories of one rank, by Buffer, of layout.memory_bytes each.
struct RankMemory {
    std::vector<std::uint8_t> memory[buffer_kinds];
};

// Memories of all ranks, zeroed.
std::vector<RankMemory> allocate_memories(const Layout& layout, std::uint32_t ranks);

// The schedule must pass verify() for the size of the layout; steps that can never run are left out.
void execute(const Schedule& schedule, const Layout& layout, ElementType type, std::vector<RankMemory>& memories);

// One data step, except a push_reduce, of which it takes all participants.
void execute(const Step& step, ReduceOp reduction, const Layout& layout, ElementType type,
    std::vector<RankMemory>& memories);

}  // namespace weft
