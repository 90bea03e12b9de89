// WEFT_PLUGIN, the entry point of a shared library with models; ModelRegistrar and ModelDeclaration, with which it registers
// them; the requests that its factories get.
#pragma once

#include <weft/parameters.h>
#include <weft/version.h>

#include "platform/assembly/plugin.h"
