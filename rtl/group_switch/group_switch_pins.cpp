#include "rtl/group_switch/group_switch_pins.h"

#include <algorithm>

#include "base/diagnostic.h"

namespace weft {

void GroupSwitchParameters::check() const
{
    outside.check();
    unit().check();
    if (outside.ports > 63 || outside.traversal != 0 || outside.width != beat_bits)
        throw InputError("", 0, "a switch with a group unit of these sizes", "at most 63 ports, traversal 0, 640 bits");
    if (slots > outside.max_credits)
        throw InputError("", 0, "more slots of the unit than credits can count", "slots up to max_credits");
}

SwitchBlockParameters GroupSwitchParameters::core() const
{
    SwitchBlockParameters out = outside;
    ++out.ports;
    out.latency = 1;
    out.credits.clear();
    for (unsigned port = 0; port < outside.ports; ++port)
        for (unsigned vc = 0; vc < outside.vcs; ++vc)
            out.credits.push_back(static_cast<std::uint16_t>(outside.credits_of(port, vc)));
    for (unsigned vc = 0; vc < outside.vcs; ++vc)
        out.credits.push_back(static_cast<std::uint16_t>(vc == vc_group ? slots
                : vc == vc_response                                     ? std::min(outside.max_credits, 8U)
                                                                        : 0));
    return out;
}

ReductionParameters GroupSwitchParameters::unit() const
{
    ReductionParameters out;
    out.members = outside.ports;
    out.groups = groups;
    out.contexts = contexts;
    out.slots = slots;
    out.ports = outside.ports;
    out.vcs = outside.vcs;
    out.vc_read = vc_read;
    out.vc_write = vc_write;
    out.vc_group = vc_group;
    out.vc_response = vc_response;
    return out;
}

}  // namespace weft
