#include "tlm_interconnect/card/network_card.h"

#include "tlm_interconnect/card/message_stage.h"

namespace weft {

std::unique_ptr<Switch> make_switch(const char* module_name, EventQueue& event_queue, const std::string& path,
    const SwitchSpec& spec, unsigned ports, const RouteTable& routes)
{
    auto out = std::make_unique<Switch>(module_name, event_queue, path, spec, ports, routes);
    if (spec.message > 0) out->set_stage(std::make_unique<MessageStage>(*out, spec, ports));
    return out;
}

}  // namespace weft
