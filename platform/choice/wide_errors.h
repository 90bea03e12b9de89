// Where wide transactions (engine.grain above 64 B) are further from lines than the systems of docs/models/grain.md, as far as a system
// shows it before it runs.
//
// * Credits. A channel sends once the credits of the widest transaction are there, w lines. Of C credits it so has C - (w - 1) lines in
//   flight at least, where lines of 64 B have all C. It matters as far as C - (w - 1) lines are less than bandwidth x round trip.
// * Limits of lines in flight (gpu.outstanding and others). A transaction begins while one line is free: of a limit of C lines up to
//   C + (w - 1) are in flight.
// * Equal paths. As many bytes as the grain take the same one, where at 64 B every routing.stripe bytes take another. If links merge
//   lines to packets longer than that stripe, packets are longer.
// * DRAM whose rows, queues or turns bound it more than in those systems. The lines of a wide access are in one row, in its queue and its
//   turn together: where each line may need a row of its own a wide access needs one, and queues and turns have up to its lines less one
//   more than their limits.
// * Packets of ll and ll128, which stay lines: nothing is gained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/assembly/fabric_plan.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Nine in ten rows of docs/models/grain.md differ from 64 B by no more than this. From the finest grain to the coarsest.
struct GrainError {
    std::uint64_t grain;  // B
    double percent;
};
const std::vector<GrainError>& grain_errors();

// Throws WideRefused where times may differ from those of 64 B by more than `percent` for one of the reasons above, or by an amount
// that nobody knows. Does nothing at 64 B.
void require_within(const ResolvedSystem& system, const FabricPlan& plan, double percent);

// One notice for each reason above that may change times by more than nine in ten rows of the page differ: the worst part of the system,
// by how much, and which grain is nearer. None at 64 B.
std::vector<std::string> wide_error_notices(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
