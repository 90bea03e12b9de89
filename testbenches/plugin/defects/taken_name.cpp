// A plug-in that wants to replace a built-in model.
#include "platform/assembly/plugin.h"

WEFT_PLUGIN(registry) { registry.add_switch("switch", "mine", nullptr); }
