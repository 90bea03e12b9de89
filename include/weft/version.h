// WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR, WEFT_VERSION_PATCH; WEFT_PLUGIN_INTERFACE, which the program compares.
#pragma once

#include "base/version.h"
