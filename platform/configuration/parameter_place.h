// Gives an error that names parameters the place of the user's last word among them (last_word.h).
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "platform/configuration/resolved_system.h"

namespace weft {

// Errors with a line, and those that name no parameter that somebody has stated, stay as they are. Where an error begins with a
// node, its values count, and with `edge` those of that link.
InputError at_its_parameter(const InputError& error, const ResolvedSystem& system,
    std::optional<EdgeId> edge = std::nullopt);

}  // namespace weft
