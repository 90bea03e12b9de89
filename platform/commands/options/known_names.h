// The names that a system may use, from the registries that own them.
#pragma once

#include <string>
#include <vector>

#include "platform/configuration/workload.h"
#include "platform/assembly/model_registry.h"

namespace weft {

// Collectives that have an algorithm, in the order of their declaration.
std::vector<std::string> collective_names();

// Element types of a message.
const std::vector<std::string>& element_names();

// Algorithms of one collective, its default first, and the options to have one chosen; of all of them when
// `collective` is empty.
std::vector<std::string> algorithms_of(const std::string& collective);

KnownNames known_names(const ModelRegistry& registry);

}  // namespace weft
