// What the platform needs of anything that stands in the place of a switch: our Switch, a user's model, or a
// block of RTL behind an adapter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/statistic.h"
#include "tlm_interconnect/protocol.h"
#include "tlm_interconnect/switch_group.h"

namespace weft {

class SwitchModel : public StatisticsProvider {
public:
    virtual LineTargetSocket& target(unsigned port) = 0;
    virtual LineInitiatorSocket& initiator(unsigned port) = 0;
    // What the module at the far end of `port` can hold. Before time starts.
    virtual void set_credits(unsigned port, const BufferSpace& space) = 0;
    // From now on the switch carries out operations at the addresses of `group`. Before time starts. Throws
    // InputError when it cannot.
    virtual void add_group(const SwitchGroup& /*group*/, LinePool& /*pool*/)
    {
        throw InputError("", 0, "this model of a switch carries out no operations on groups", "model switch");
    }
    virtual std::uint32_t peak_queue(unsigned port) const = 0;
    // Lines handed on so far, requests and responses.
    virtual std::uint64_t line_hops() const = 0;
    // One line per port that has lines and cannot send them; for the report of a run without progress.
    virtual std::vector<std::string> blocked() const = 0;
};

}  // namespace weft
