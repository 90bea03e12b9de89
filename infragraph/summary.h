// The text and JSON of `weft check` about a document.
#pragma once

#include <string>

#include "infragraph/load.h"

namespace weft {

// A few lines for people: name, description, size, nodes by type, endpoints, connectivity, notices.
std::string check_text(const LoadedGraph& loaded);

// The same as a JSON object: {file, form, name, description, nodes, edges, types: {type: n},
// links: {link: n}, endpoints, components, isolated, instances: [{name, device, count}],
// notices: [{file, line, text}]}.
std::string check_json(const LoadedGraph& loaded);

}  // namespace weft
