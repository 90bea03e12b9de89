// Models with a clocked block inside: its RTL, its reference model, or both in lockstep.
#pragma once

#include "platform/assembly/model_registry.h"

namespace weft {

// The sockets of all switches and all links.
inline const char* switch_ports() { return "target(p) and initiator(p) of port p"; }
inline const char* link_ports() { return "target(e) and initiator(e) of end e, 0 or 1"; }
inline const char* slice_ports() { return "target_of(p) and memory_of(p) of partition p"; }

// switch: rtl_switch, reference_switch, switch_lockstep; link: rtl_link, reference_link, link_lockstep; slice: rtl_slice,
// reference_slice, slice_lockstep.
void add_rtl_models(ModelRegistry& registry);

// What `weft rtl add` has registered (registered_blocks.h). Maps and RTL are read when a module is made. Throws InputError
// for a registration that cannot be read or whose name is taken.
void add_registered_blocks(ModelRegistry& registry);

}  // namespace weft
