// The sockets of a slice or a memory that somebody registered, held against what its GPU connects: what does not fit would be an
// error of SystemC's elaboration that names ports alone.
#pragma once

#include <string>

#include "sc_models/l2/slice_model.h"
#include "sc_models/memory/memory_model.h"

namespace weft {

// `gpu`: its name; `model`: of the slice or memory. Throw InputError.
void require_sockets(const std::string& gpu, const std::string& model, SliceModel& slice, const SliceRequest& request);
void require_sockets(const std::string& gpu, const std::string& model, MemoryModel& memory,
    const MemoryRequest& request);

}  // namespace weft
