#include "router_switch.h"

#include "platform/assembly/plugin.h"

WEFT_PLUGIN(registry)
{
    registry.add_switch("base_router", "a base-protocol TLM-2.0 AT router behind adapters",
        [](const weft::RunContext& context, const weft::SwitchRequest& request) {
            return std::make_unique<RouterSwitch>(request.module_name.c_str(), context, request);
        });
    registry.add_switch("base_router_lt", "the same router, called by b_transport from 64 threads for each port",
        [](const weft::RunContext& context, const weft::SwitchRequest& request) {
            return std::make_unique<RouterSwitch>(request.module_name.c_str(), context, request, 64);
        });
}
