// Which parameters flow fidelity follows: every parameter of Weft's blocks has its row in one table, and what a user has set
// and a run does not follow is told in one notice.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "platform/configuration/resolved_system.h"

namespace weft {

enum class Follows : std::uint8_t {
    yes,      // flow has its effect or refuses it, or it belongs to what flow refuses
    kernels,  // only where kernels run on up to 64 ranks
    in_part,
    in_part_without_kernels,  // in part; where kernels run on up to 64 ranks, in full
    no
};

// By path, such as "link.request_credits".
const std::map<std::string, Follows>& flow_parameters();

// One line for all parameters that somebody has set, in a file or on the command line, and that a run does not follow; empty: none.
// `tables`: routes have tables; else paths are made pair by pair. `apart`: nodes that others simulate, empty: none.
std::string unfollowed_notice(const ResolvedSystem& system, bool kernels, bool tables,
    const std::vector<bool>& apart = {});

}  // namespace weft
