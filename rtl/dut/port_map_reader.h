// Port maps as YAML: docs/rtl/port_map.md says what may be in them.
#pragma once

#include <string>

#include "rtl/dut/port_map.h"

namespace weft {

// Throws InputError with file and line for everything that is wrong with the map itself.
PortMap read_port_map(const std::string& path);
PortMap read_port_map_text(const std::string& path, const std::string& text);

}  // namespace weft
