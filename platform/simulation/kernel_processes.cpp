#include "platform/simulation/kernel_processes.h"

#include <string>

#include "base/diagnostic.h"
#include "tlm_interconnect/kernel/kernel_processes.h"

namespace weft {

void require_no_processes()
{
    const sc_core::sc_object* process = first_foreign_process();
    if (process == nullptr) return;
    throw InputError("", 0,
        std::string(process->name()) + " is a process of the SystemC kernel, in a model that declares without_kernel()",
        "a model without processes, --partitions 1, or one process");
}

}  // namespace weft
