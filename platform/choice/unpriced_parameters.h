// Parameters that somebody has set and that what is computed without a simulation does not follow: the alpha-beta figure, estimates of
// algorithms, bytes of a plan on links.
#pragma once

#include <string>

#include "platform/configuration/resolved_system.h"

namespace weft {

// One line: `figures` do not follow these parameters; empty: there are none. `times`: figures are times, else bytes on links. Set on
// the command line or in a file, to a value that costs something by lines.
std::string unpriced_notice(const ResolvedSystem& system, const std::string& figures, bool times);

}  // namespace weft
