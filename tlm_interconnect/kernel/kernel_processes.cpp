#include "tlm_interconnect/kernel/kernel_processes.h"

#include <string>
#include <vector>

#include "tlm_interconnect/kernel/event_queue.h"

namespace weft {

namespace {

const sc_core::sc_object* first_among(const std::vector<sc_core::sc_object*>& objects)
{
    for (const sc_core::sc_object* object : objects) {
        if (dynamic_cast<const EventQueue*>(object) != nullptr) continue;
        const std::string kind = object->kind();
        if (kind == "sc_method_process" || kind == "sc_thread_process" || kind == "sc_cthread_process") return object;
        if (const sc_core::sc_object* found = first_among(object->get_child_objects()); found != nullptr) return found;
    }
    return nullptr;
}

}  // namespace

const sc_core::sc_object* first_foreign_process() { return first_among(sc_core::sc_get_top_level_objects()); }

}  // namespace weft
