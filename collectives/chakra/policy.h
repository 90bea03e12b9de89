// The execution options of traces that decide whether a trace can run.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/chakra/node.h"

namespace weft::chakra {

enum class Dependencies : std::uint8_t {
    // Data and control, as today's ASTRA-sim; data alone where the control dependencies of a rank name
    // absent nodes or close a cycle (PyTorch traces, where they are the call tree). With a notice.
    automatic,
    data,
    data_and_control
};

struct Policy {
    Dependencies dependencies = Dependencies::automatic;
    // Collectives start by comm_priority, so that members of a group must agree on it.
    bool priorities = false;
    // Compute nodes of the accelerator take the time of their operations and bytes even where they have a duration.
    bool roofline = false;
    // Sizes of the dimensions that all ranks form, innermost first; they multiply to the ranks of the set. Empty:
    // involved_dim has no effect.
    std::vector<std::uint32_t> dimensions = {};
    // The operations that the engine can execute.
    std::vector<CollectiveType> collectives = {CollectiveType::all_reduce, CollectiveType::all_gather,
        CollectiveType::reduce_scatter, CollectiveType::all_to_all, CollectiveType::broadcast, CollectiveType::barrier};
};

}  // namespace weft::chakra
