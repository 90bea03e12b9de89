#include "priority_switch.h"

#include "platform/assembly/plugin.h"

WEFT_PLUGIN(registry)
{
    registry.add_switch("my_switch", "output-queued, strict priority for control",
        [](const weft::RunContext& context, const weft::SwitchRequest& request) {
            return std::make_unique<user::PrioritySwitch>(request.module_name.c_str(), context.event_queue, request.path,
                request.spec.latency, request.ports, request.routes);
        });
}
