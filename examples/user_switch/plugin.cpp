#include "priority_switch.h"

#include <weft/plugin.h>

WEFT_PLUGIN(registry)
{
    registry.add_switch(weft::ModelDeclaration("my_switch", "output-queued, strict priority for control")
                            .with_ports("target(p) and initiator(p) of port p")
                            .with_parameters<user::PrioritySpec>()
                            .with_reads({"switch.latency"})
                            .with_statistics(user::priority_statistics())
                            .without_kernel(),
        [](const weft::RunContext& context, const weft::SwitchRequest& request) {
            return std::make_unique<user::PrioritySwitch>(request.module_name.c_str(), context.event_queue,
                request.path, request.parameters.value("switch.latency"), request.parameters.get<user::PrioritySpec>(),
                request.ports, request.routes);
        });
}
