// Keys of an MSCCL++ execution plan that are none: a misspelt key would be a plan without it.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/plans/json_tree.h"

namespace weft {

// One notice for each name, where it comes first.
std::vector<Diagnostic> unknown_mscclpp_keys(const JsonValue& root, const std::string& file);

}  // namespace weft
