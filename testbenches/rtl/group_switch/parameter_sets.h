// What switches with a group unit are compared in.
#pragma once

#include "rtl/group_switch/group_switch_pins.h"

namespace weft::test {

inline GroupSwitchParameters group_switch_of(unsigned ports, unsigned vcs, unsigned depth, unsigned max_credits,
    unsigned latency, unsigned iterations)
{
    GroupSwitchParameters parameters;
    parameters.outside.ports = ports;
    parameters.outside.vcs = vcs;
    parameters.outside.depth = depth;
    parameters.outside.max_credits = max_credits;
    parameters.outside.traversal = 0;
    parameters.outside.latency = latency;
    parameters.outside.iterations = iterations;
    return parameters;
}

inline GroupSwitchParameters four_ports() { return group_switch_of(4, 4, 8, 8, 1, 1); }

inline GroupSwitchParameters eight_ports()
{
    GroupSwitchParameters parameters = group_switch_of(8, 4, 16, 16, 3, 2);
    parameters.groups = 8;
    parameters.contexts = 8;
    parameters.slots = 12;
    return parameters;
}

// Requests, reads and writes share a channel; a slot fewer than that of the members.
inline GroupSwitchParameters one_context()
{
    GroupSwitchParameters parameters = group_switch_of(2, 2, 3, 2, 4, 1);
    parameters.groups = 1;
    parameters.contexts = 1;
    parameters.slots = 2;
    parameters.vc_read = parameters.vc_write = parameters.vc_group = 0;
    parameters.vc_response = 1;
    return parameters;
}

// Channels in another order, numbers that fill no powers of two.
inline GroupSwitchParameters one_queue()
{
    GroupSwitchParameters parameters = group_switch_of(3, 5, 5, 7, 2, 1);
    parameters.outside.one_queue = true;
    parameters.outside.islip = false;
    parameters.groups = 3;
    parameters.contexts = 3;
    parameters.slots = 6;
    parameters.vc_read = 4;
    parameters.vc_write = 0;
    parameters.vc_group = 3;
    parameters.vc_response = 2;
    return parameters;
}

// Many groups, few slots; the outputs differ in their credits, and the last two channels are not everywhere.
inline GroupSwitchParameters six_ports()
{
    GroupSwitchParameters parameters = group_switch_of(6, 6, 4, 5, 2, 3);
    for (unsigned output = 0; output < 6; ++output)
        for (unsigned vc = 0; vc < 6; ++vc)
            parameters.outside.credits.push_back(
                static_cast<std::uint16_t>(vc < 4 ? 1 + (output * 3 + vc) % 5 : (output + vc) % 3));
    parameters.groups = 9;
    parameters.contexts = 5;
    parameters.slots = 3;
    return parameters;
}

}  // namespace weft::test
