// Processes of the SystemC kernel other than those of event queues.
#pragma once

#include <systemc>

namespace weft {

// The first of them in the order of the hierarchy, of those that elaboration has made; null: there is none.
const sc_core::sc_object* first_foreign_process();

}  // namespace weft
