// The interface through which compute units issue bulk copies and requests, and detect the end of bulk copies.
#pragma once

#include <cstdint>

#include "gpu/units/program.h"
#include "tlm_interconnect/kernel/time.h"

namespace weft {

class WorkgroupLog;

class BulkCopyEngine {
public:
    virtual ~BulkCopyEngine() = default;
    // Takes a bulk operation of a workgroup on `unit`; `operands` (its source, then its destinations) stay alive. It
    // arrives `delay` from now.
    virtual void copy(std::uint32_t unit, const std::uint64_t* operands, const Operation& operation,
        std::uint32_t workgroup, Time delay) = 0;
    // Asks the proxy for the next `operations` of a proxied list; issued `delay` from now.
    virtual void request(std::uint32_t list, std::uint64_t operations, Time delay) = 0;
    // Copies of a workgroup that may be under way at once.
    virtual std::uint32_t limit() const = 0;
    // Lines of the unit's bulk copy engine without a response.
    virtual std::uint32_t in_flight(std::uint32_t unit) const = 0;
};

class BulkListener {
public:
    virtual ~BulkListener() = default;
    // All lines of one of the workgroup's copies are loaded, stored and acknowledged.
    virtual void on_bulk_done(std::uint32_t workgroup) = 0;
    // To which engines tell what becomes of the lines of copies.
    virtual WorkgroupLog& log() = 0;
};

}  // namespace weft
