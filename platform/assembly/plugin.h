// Models from a shared library.
//
// The library includes this header and defines its entry point with WEFT_PLUGIN, which also records against which
// Weft it was compiled:
//
//     WEFT_PLUGIN(registry)
//     {
//         registry.add_switch(weft::ModelDeclaration("mine", "what it is, in a line").with_parameters<MySpec>(), make_mine);
//     }
//
// It links none of Weft's libraries and no SystemC: it takes them from the program that loads it, so that there is one
// kernel, one event queue and one set of types. It stays loaded until the program ends.
#pragma once

#include <cstdint>

#include "base/version.h"
#include "platform/assembly/model_requests.h"
#include "tlm_interconnect/adapters/base_to_line.h"
#include "tlm_interconnect/adapters/line_to_base.h"
#include "tlm_interconnect/switch/output_port.h"

namespace weft {

// The values that the program and a library must agree on: the version of the interface, and the sizes of shared types. The
// version goes up with every change of a class that plug-ins derive from, hold or call: sizes do not show a virtual function.
//   1  the first
//   2  adapters tell what limits them; the accounts of credits are found at the end of a run
//   3  EventQueue, TimedComponent and arbitrate(); every call goes through the bound TLM-2.0 interface; buffer space names
//      the holders of credits
//   4  models declare parameters and statistics of their own; requests hold values by name in place of our structs
//   5  models declare which parameters of Weft they read; the shells of switches and links hold their sockets in sc_vectors;
//      VC sets of routes (vc_set_of()), hops of the return path (note_hop()), path selection; choices in specs are enumerations
//   6  slices of an L2 and memories are kinds of their own; a parameter of Weft may choose among the models of a kind;
//      switches take their part in groups over two tiers (add_tier())
//   7  wide transactions: the size of a line is a SizeField, and a line has a tail; BufferSpace::transaction
//   8  EventQueue: items without effect, and items in front of which a part stops
//   9  models declare that they need no SystemC kernel (without_kernel()), so that they may be in a run that is cut
//   10 EventQueue: components may name the state that is fetched before their prefetch(); the note of a slice holds the sector's number
//   11 accounts of credits are told the time when credits come back; up to three places of a component are fetched ahead
//   12 the data of a line are behind it, where its run has any; accounts of credits are smaller
//   13 tables of lines that wait at a port are smaller
//   14 failures of modules end a run by the event queue (fail())
//   15 lines note their data, so that adapters see what a foreign module has changed; adapters keep the time of service behind them
//   16 EventQueue: clocks of blocks that stand still, and whether the kernel has processes of others
//   17 links: how long of their busy time has passed
struct PluginAbi {
    std::uint32_t interface = WEFT_PLUGIN_INTERFACE;
    std::uint32_t systemc = IEEE_1666_SYSTEMC;
    std::uint32_t line = sizeof(Line);
    std::uint32_t request = sizeof(SwitchRequest);
    std::uint32_t output_port = sizeof(OutputPort);
    std::uint32_t sockets = sizeof(LineInitiatorSocket) + sizeof(LineTargetSocket);
    std::uint32_t event_queue = sizeof(EventQueue) + sizeof(TimedComponent);
    std::uint32_t registry = sizeof(ModelRegistrar) + sizeof(ModelDeclaration) + sizeof(ParameterSet);
    std::uint32_t adapters = sizeof(LineToBaseCore) + sizeof(BaseToLineCore);
    std::uint32_t space = sizeof(BufferSpace);
    std::uint32_t link = sizeof(LinkSpec) + sizeof(LinkModel::Direction);
};

}  // namespace weft

#define WEFT_PLUGIN(registry)                                                                                          \
    extern "C" __attribute__((visibility("default"))) const weft::PluginAbi weft_plugin_abi;                           \
    const weft::PluginAbi weft_plugin_abi{};                                                                           \
    extern "C" __attribute__((visibility("default"))) void weft_register(weft::ModelRegistrar& registry);              \
    void weft_register(weft::ModelRegistrar& registry)
