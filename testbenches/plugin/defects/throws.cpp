// A plug-in whose entry point fails.
#include <stdexcept>

#include "platform/assembly/plugin.h"

WEFT_PLUGIN(registry)
{
    registry.add_switch("never", "", nullptr);
    throw std::runtime_error("no licence");
}
