// Converts a schedule to wavefront programs: chunks become address ranges, signals and waits become flags.
//
// A thread becomes one workgroup; with copy engines, one and a command list, which keep the order of its steps by flags;
// with ports, one and a list that it makes requests for.
// Data steps move contiguous pieces (layout.h); a signal adds 1 to a flag at the peer; the k-th wait of a rank on a
// semaphore waits until its flag is at least k; a barrier is a flag that its participants add to; a dependency on a step
// of another thread is a flag that the other thread sets behind that step. Flags of signals lie at the rank that waits,
// or with SignalFlags at the one that signals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/engine/engine_spec.h"
#include "collectives/engine/lines/packet_slots.h"
#include "collectives/engine/lines/signal_flags.h"
#include "collectives/engine/lines/switch_use.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/schedule.h"
#include "gpu/units/program.h"
#include "sc_models/memory/flag_stride.h"

namespace weft {

// Global addresses of one rank's memories and flags (flag_stride apart).
struct RankAddresses {
    std::uint64_t memory[buffer_kinds] = {};  // by Buffer
    std::uint64_t flags = 0;
};

// Flags that a rank needs: its semaphores, one for every step that another of its threads depends on, and with copy
// engines and ports two for each thread, to hand over and back.
std::uint32_t flags_of(const RankPlan& plan, Mover mover = Mover::units);

// "semaphore 3", or "step 2 of thread 0" for a flag that stands for a dependency.
std::string flag_text(const RankPlan& plan, std::uint64_t flag, Mover mover);

// The programs of the threads of a rank, by thread; empty ones have nothing to do.
struct Lowered {
    std::vector<Program> workgroups;
    std::vector<Program> lists;  // of copy engines
};

// Labels are step indices. `packets`: of a schedule with packet slots. `groups` has the numbers of the groups that steps
// carried out by switches name; such a step is one move whose operands lie at the address of a group (gpu/units/program.h). Throws
// InputError where there is none, where its operands lie at different local addresses of their ranks, and for packets that a
// switch should store.
Lowered lower(const Schedule& schedule, const Layout& layout, ElementType type, std::uint32_t rank,
    const std::vector<RankAddresses>& addresses, Mover mover = Mover::units, const SignalFlags* at_signallers = nullptr,
    const PacketSlots* packets = nullptr, const GroupNumbers* groups = nullptr);

}  // namespace weft
