// The processes that a launcher of MPI has started.
#pragma once

#include <memory>
#include <string>

#include "platform/parallel/processes.h"

namespace weft {

// What a launcher says of this process in the environment. With WEFT_ALONE set a process counts as started alone; those that the
// program starts itself have it.
struct Launch {
    std::string launcher;    // "Open MPI"; empty: the program was started alone
    std::uint64_t size = 0;  // 0: the launcher does not say
    bool first = true;       // process 0
};
Launch launch_of_environment();

// Not empty: srun has started this process with others, and none of them can know of the others. A sentence for process 0.
std::string launched_apart();

// Where the module is looked for: beside the program, and where it is installed.
std::string processes_module_file();

// Null when the program was started alone, or as the only process. Throws InputError when it was started in several processes but has
// no module for them.
std::unique_ptr<Processes> launched_processes();

}  // namespace weft
