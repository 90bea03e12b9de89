// The assumptions about a system, as JSON: [{what, count, taken, because, set_with}].
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "platform/configuration/assumption.h"

namespace weft {

nlohmann::ordered_json assumptions_json(const std::vector<Assumption>& assumptions);

}  // namespace weft
