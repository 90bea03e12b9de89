#include "platform/simulation/kernel_processes.h"

#include <string>
#include <vector>

#include <systemc>

#include "base/diagnostic.h"
#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

namespace {

void look(const std::vector<sc_core::sc_object*>& objects)
{
    for (const sc_core::sc_object* object : objects) {
        if (dynamic_cast<const EventQueue*>(object) != nullptr) continue;
        const std::string kind = object->kind();
        if (kind == "sc_method_process" || kind == "sc_thread_process" || kind == "sc_cthread_process")
            throw InputError("", 0,
                std::string(object->name()) +
                    " is a process of the SystemC kernel, in a model that declares without_kernel()",
                "a model without processes, or --partitions 1");
        look(object->get_child_objects());
    }
}

}  // namespace

void require_no_processes() { look(sc_core::sc_get_top_level_objects()); }

}  // namespace weft
