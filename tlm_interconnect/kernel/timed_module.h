// A SystemC module that is a timed component: what the shells of switches, links and clocked blocks stand on.
#pragma once

#include <string>
#include <utility>

#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

class TimedModule : public sc_core::sc_module, public TimedComponent {
protected:
    TimedModule(sc_core::sc_module_name name, EventQueue& event_queue, std::string path)
        : sc_module(name), TimedComponent(event_queue, std::move(path))
    {
    }
};

}  // namespace weft
