// A TLM-2.0 memory as the DRAM of a GPU: BaseProtocolMemory, or the interface MemoryModel for a model with our sockets.
#pragma once

#include "sc_models/memory/base_protocol_memory.h"
#include "sc_models/memory/memory_model.h"
