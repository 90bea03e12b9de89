// Version of Weft and of its plug-in interface, for the program and for what is compiled against it.
//
// The interface goes up with every change of a class that plug-ins derive from, hold or call; the list is in
// platform/assembly/plugin.h.
#pragma once

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0

#define WEFT_PLUGIN_INTERFACE 17
