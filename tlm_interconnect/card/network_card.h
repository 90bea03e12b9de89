// A network card: a switch whose requests pass a message stage on their way out of the node.
#pragma once

#include <memory>
#include <string>

#include "tlm_interconnect/switch/switch.h"

namespace weft {

// Model `switch` with these parameters: with `message` above 0 a network card.
std::unique_ptr<Switch> make_switch(const char* module_name, EventQueue& event_queue, const std::string& path,
    const SwitchSpec& spec, unsigned ports, const RouteTable& routes);

}  // namespace weft
