// Writes what the readers read: a protobuf trace of layout 0.0.4, and a group file. For other simulators, attributes have the
// types that ASTRA-sim's feeder reads (docs/chakra.md).
#pragma once

#include <string>
#include <vector>

#include "collectives/chakra/groups.h"
#include "collectives/chakra/node.h"

namespace weft::chakra {

// The bytes of a trace: its metadata and `nodes` in their order. Durations are written in whole microseconds; throws
// std::invalid_argument for one that is none. `line`, `has_group` and `foreign_field` are not written.
std::string trace_bytes(const std::vector<Node>& nodes);

// {"1": [0, 1], ...} in the order of the numbers.
std::string group_file_text(const GroupDefinitions& groups);

}  // namespace weft::chakra
