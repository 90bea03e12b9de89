// Loads shared libraries with models.
#pragma once

#include <string>

#include "platform/assembly/model_registry.h"

namespace weft {

// Adds the models of `file` to `registry`. Throws InputError when it cannot be loaded, is no plug-in, was compiled
// against another Weft, declares what cannot be, or brings a name that is taken.
void load_plugin(const std::string& file, ModelRegistry& registry);

}  // namespace weft
