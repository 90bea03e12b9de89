#include "vendor_switch.h"

#include <string>
#include <vector>

#include <weft/plugin.h>

namespace {

const std::vector<std::string> router_reads{"switch.latency", "switch.arbiter", "switch.control_weight",
    "switch.data_weight"};

}  // namespace

WEFT_PLUGIN(registry)
{
    registry.add_switch(weft::ModelDeclaration("base_router", "a base-protocol TLM-2.0 AT router behind adapters")
                            .with_reads(router_reads)
                            .with_statistics(weft::base_protocol_statistics()),
        [](const weft::RunContext& context, const weft::SwitchRequest& request) {
            return std::make_unique<VendorSwitch>(request.module_name.c_str(), context, request, 0);
        });
    registry.add_switch(
        weft::ModelDeclaration("base_router_lt", "the same router, called by b_transport from 64 threads for each port")
            .with_reads(router_reads)
            .with_statistics(weft::base_protocol_statistics()),
        [](const weft::RunContext& context, const weft::SwitchRequest& request) {
            return std::make_unique<VendorSwitch>(request.module_name.c_str(), context, request, 64);
        });
}
