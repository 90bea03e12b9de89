// The interface of any switch model to the platform: our Switch, a user's model, or a
// block of RTL behind an adapter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/statistic.h"
#include "tlm_interconnect/switch/port_watch.h"
#include "tlm_interconnect/protocol/protocol.h"
#include "tlm_interconnect/switch/group_tier.h"

namespace weft {

class SwitchModel : public StatisticsProvider {
public:
    virtual LineTargetSocket& target(unsigned port) = 0;
    virtual LineInitiatorSocket& initiator(unsigned port) = 0;
    // What the module at the far end of `port` can hold. Before time starts.
    virtual void set_credits(unsigned port, const BufferSpace& space) = 0;
    // From now on the switch carries out operations at the addresses of `group`. Also while time passes. Throws
    // InputError when it cannot.
    virtual void add_group(const SwitchGroup& /*group*/, LinePool& /*pool*/)
    {
        throw InputError("", 0, "this switch model has no operations on groups",
            "model switch, rtl_switch, reference_switch, or a plug-in's that has add_group()");
    }
    // The same of its part in a group over two tiers of switches.
    virtual void add_tier(const GroupTier& /*part*/, LinePool& /*pool*/)
    {
        throw InputError("", 0, "this switch model has no operations on groups over two tiers of switches",
            "model switch, or members that share a switch");
    }
    // Whether an operation on a group has lacked a member for longer than it may.
    virtual bool overdue(Time /*now*/) const { return false; }
    virtual std::uint32_t peak_queue(unsigned port) const = 0;
    // Tells `watch` of what happens at the output of `port`, by channel; false: this model cannot.
    virtual bool attach(unsigned /*port*/, PortWatch& /*watch*/) { return false; }
    // Time in which an output had lines, a free wire and no credit, ps; not_known: the model does not count it.
    static constexpr Time not_known = ~Time{0};
    virtual Time credit_stall(unsigned /*port*/) const { return not_known; }
    // Lines that cannot go on for want of a credit, for the report of a run without progress.
    struct Wait {
        unsigned input;       // port that they came in by
        std::uint8_t held;    // channel of the buffer that they sit in
        unsigned output;      // port that they wait for
        std::uint8_t wanted;  // channel that has no room there
        std::uint32_t lines;
    };
    virtual std::vector<Wait> waits() const { return {}; }
    // Whether every credit that the model took is given back by it or counted by credits_out(): if some are missing after a run, they were
    // lost elsewhere.
    virtual bool accounts_for_credits() const { return false; }
    // Of those that an OutputPort does not count: credits of the module behind `port` that have been used and are neither back nor on their
    // way.
    virtual std::uint32_t credits_out(unsigned /*port*/, std::uint8_t /*vc*/) const { return 0; }
    // It holds lines, could get rid of them, and has not done so for as long as it may take.
    virtual bool stuck(Time /*now*/) const { return false; }
    // After a run that ended by itself: what has not been given back inside, a line each.
    virtual std::vector<std::string> unsettled() { return {}; }
    // What the model itself found to be wrong, one line each: such a run ends with exit code 1.
    virtual std::vector<std::string> problems() const { return {}; }
    // Lines handed on so far, requests and responses.
    virtual std::uint64_t line_hops() const = 0;
    // One line per port that has lines and cannot send them; for the report of a run without progress.
    virtual std::vector<std::string> blocked() const = 0;
};

}  // namespace weft
