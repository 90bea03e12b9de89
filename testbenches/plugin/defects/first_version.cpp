// A plug-in of the first version of the interface, whose record was shorter. All sizes in it are today's: nothing but the version
// tells it apart.
#include "platform/assembly/plugin.h"

namespace {

struct FirstAbi {
    std::uint32_t interface = 1;
    std::uint32_t systemc = IEEE_1666_SYSTEMC;
    std::uint32_t line = sizeof(weft::Line);
    std::uint32_t request = sizeof(weft::SwitchRequest);
    std::uint32_t output_port = sizeof(weft::OutputPort);
    std::uint32_t sockets = sizeof(weft::LineInitiatorSocket) + sizeof(weft::LineTargetSocket);
    std::uint32_t event_queue = sizeof(weft::EventQueue) + sizeof(weft::TimedComponent);
    std::uint32_t registry = sizeof(weft::ModelRegistrar);
};

}  // namespace

extern "C" const FirstAbi weft_plugin_abi;
const FirstAbi weft_plugin_abi{};
extern "C" void weft_register(weft::ModelRegistrar&) {}
