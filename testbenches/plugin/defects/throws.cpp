// A plug-in whose entry point fails.
#include <stdexcept>

#include "platform/assembly/plugin.h"

WEFT_PLUGIN(registry)
{
    registry.names_by_kind();
    throw std::runtime_error("no licence");
}
