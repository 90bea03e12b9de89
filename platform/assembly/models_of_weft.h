// Which models are Weft's own, and not a plug-in's or a user's block of RTL.
#pragma once

#include <string>

namespace weft {

// `kind` as of ModelRegistry.
bool of_weft(const std::string& kind, const std::string& model);

}  // namespace weft
