// The declarations of a registry as text, as JSON and as a page of the documentation. Nothing here knows a model or a
// parameter by name.
#pragma once

#include <string>

#include "platform/assembly/model_registry.h"

namespace weft {

// `kind`: only models of this kind and their parameters; empty: all, with those of the system as a whole.
std::string models_text(const ModelRegistry& registry, const std::string& kind);
std::string models_json(const ModelRegistry& registry, const std::string& kind);  // "weft.models/1"
// docs/models/reference.md
std::string models_markdown(const ModelRegistry& registry);

}  // namespace weft
