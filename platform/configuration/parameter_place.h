// Gives an error that names a parameter the place where somebody has set it.
#pragma once

#include "base/diagnostic.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Errors with a line, and those that name no parameter that was set, stay as they are. Where an error begins with a node, its values count.
InputError at_its_parameter(const InputError& error, const ResolvedSystem& system);

}  // namespace weft
