// Paths that routing.policy=minimal leaves aside although they carry more together than the one it takes: it compares the narrowest link
// of single paths, so that one wide link keeps the traffic from several narrow ones.
#pragma once

#include <string>

#include "platform/configuration/resolved_system.h"
#include "tlm_interconnect/routing/routing.h"

namespace weft {

// One line for all pairs; empty: there are none. Looks at the routes to the first endpoints, as many as take no time.
std::string narrow_paths_notice(const ResolvedSystem& system, const Fabric& fabric);

}  // namespace weft
