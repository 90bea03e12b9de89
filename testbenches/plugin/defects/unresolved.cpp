// A plug-in that needs something that nobody has.
#include "platform/assembly/plugin.h"

void nobody_has_this();

WEFT_PLUGIN(registry)
{
    nobody_has_this();
    registry.add_switch("never", "", nullptr);
}
