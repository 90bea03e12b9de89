// The whole-document form with annotations: {infrastructure, annotations}.
#pragma once

#include <string>

#include "infragraph/graph.h"

namespace weft {

enum class ResponseScope {
    full,    // with the derived attributes
    partial  // without the immutable ones; entries may have an empty list
};

// JSON. Reading it back and writing it again gives the same text.
std::string graph_response(const Graph& graph, ResponseScope scope);

}  // namespace weft
