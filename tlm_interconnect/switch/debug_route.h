// The route of a transport_dbg through a switch: by the first of equal ports, in the VC set that the routes prescribe.
#pragma once

#include "tlm_interconnect/routing/route_table.h"
#include "tlm_interconnect/switch/switch_model.h"

namespace weft {

// For a line that came in by `port`. Nothing is moved where there is no way, nor at the address of a group.
inline unsigned pass_debug(SwitchModel& model, const RouteTable& routes, unsigned port, Line& line)
{
    if (line.destination >= first_group) return 0;
    const RouteTable::Choice choice = routes.ports_to(line.destination, routes.phase(port, lane_of(line.vc)));
    if (choice.count == 0) return 0;
    line.vc = vc_of(VcClass::request, choice.lane(0));
    return model.initiator(choice.port(0)).debug(line);
}

}  // namespace weft
