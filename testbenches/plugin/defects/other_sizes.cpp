// A plug-in of this version of the interface, whose adapters have grown by a member.
#include "platform/assembly/plugin.h"

namespace {

weft::PluginAbi grown()
{
    weft::PluginAbi abi;
    abi.adapters += 8;
    return abi;
}

}  // namespace

extern "C" const weft::PluginAbi weft_plugin_abi;
const weft::PluginAbi weft_plugin_abi = grown();
extern "C" void weft_register(weft::ModelRegistrar&) {}
