// A plug-in of another version of the interface.
#include "platform/assembly/plugin.h"

extern "C" const weft::PluginAbi weft_plugin_abi;
const weft::PluginAbi weft_plugin_abi{99};
extern "C" void weft_register(weft::ModelRegistrar&) {}
