// Creates the groups that switches multicast to and reduce over: the interface between the executor and the system
// that it runs on.
#pragma once

#include <cstdint>
#include <vector>

#include "base/element.h"

namespace weft {

class GroupRegistry {
public:
    virtual ~GroupRegistry() = default;
    // Endpoint number of the group of these endpoints (each once), whose operands of `type` are combined by `op` in this
    // order: made now, if nobody has asked for it before. `outsiders` use it beside the members (ascending, each once).
    // Throws InputError when no switch can carry it out.
    virtual std::uint16_t group(const std::vector<std::uint32_t>& members, const std::vector<std::uint32_t>& outsiders,
        ElementType type, ReduceOp op) = 0;
};

}  // namespace weft
