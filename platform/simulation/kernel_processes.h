// Whether modules of a run that is cut have processes of the SystemC kernel, though their models declare that they need none.
#pragma once

namespace weft {

// After elaboration. Throws InputError with the name of the first one; those of event queues are ours.
void require_no_processes();

}  // namespace weft
