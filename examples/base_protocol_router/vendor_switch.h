// A vendor's router in the place of a switch: the whole of it.
#pragma once

#include "at_router.h"

#include <weft/adapters.h>
#include <weft/plugin.h>
#include <weft/switch.h>

class VendorSwitch final : public weft::BaseProtocolSwitch {
public:
    // `threads`: the router is called by b_transport from so many processes for each port; 0: by its four phases.
    VendorSwitch(sc_core::sc_module_name name, const weft::RunContext& context, const weft::SwitchRequest& request,
        std::uint32_t threads)
        : BaseProtocolSwitch(name, context.event_queue, context.pool, request.path,
              {request.ports, request.routes, weft::arbitration_of(request.parameters), threads}),
          router_(
              "router", request.ports, [this](sc_dt::uint64 address) { return output_of(address); },
              sc_core::sc_time(static_cast<double>(request.parameters.value("switch.latency")), sc_core::SC_PS),
              sc_core::sc_time(500, sc_core::SC_PS))
    {
        for (unsigned port = 0; port < request.ports; ++port) connect(port, *router_.in[port], *router_.out[port]);
    }

private:
    AtRouter router_;
};
