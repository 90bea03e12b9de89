// The parts of a collective that take memory, counted in its schedule before the run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/engine/collective_driver.h"

namespace weft {

// Totals over all ranks unless stated otherwise.
struct CollectiveShape {
    double steps = 0;
    double references = 0;  // to chunks, of sources and destinations
    double operations = 0;  // of programs, runs of signals and waits one each
    double operands = 0;    // of these
    double flags = 0;       // that semaphores have room for
    double moved = 0;       // bytes, of all operands; those of a step in a switch, of every member
    double requested =
        0;  // bytes, of what GPUs ask for: in place of a group's members, the group; and a line for each signal
    double buffer_bytes = 0;
    double threads = 0;       // of a rank, the most
    double most_sources = 1;  // of a move
    double burst = 0;         // signals that threads send without a wait between them
    double move_lines = 0;  // lines of the largest step of every thread that no switch carries out, for its wider side
    double switch_lines = 0;  // the same of steps that switches carry out: a request for each line
    double members = 0;       // of the largest group

    double schedule_bytes() const;
    double program_bytes() const;
    double flag_bytes() const;
};

// Beyond so many ranks a schedule is not made: the shape of one for these is scaled by the formulas of theory.h.
constexpr std::uint32_t most_ranks_built = 128;

// With all channels of the request. Throws InputError where the algorithm cannot be had for so many ranks.
CollectiveShape shape_of(const CollectiveRequest& request, const std::string& algorithm);
// The shape of the schedule of the request.
CollectiveShape shape_of_plan(const CollectiveRequest& request);

// Nobody knows yet which algorithm it will be: the shape of the one with the fewest steps. `most_bytes` is set to those of the
// largest schedule that is priced.
CollectiveShape shape_of_choice(const CollectiveRequest& request, const std::vector<std::string>& names,
    double& most_bytes);

}  // namespace weft
