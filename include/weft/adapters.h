// Adapters between TLM-2.0's base protocol and the sockets of Weft, and the switch around a router that knows only that.
#pragma once

#include "tlm_interconnect/adapters/base_protocol_switch.h"
#include "tlm_interconnect/adapters/base_to_line.h"
#include "tlm_interconnect/adapters/line_to_base.h"
