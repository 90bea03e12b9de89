// A vendor's memory as the DRAM of a GPU: the whole of it.
#pragma once

#include "lt_memory.h"

#include <weft/memory.h>
#include <weft/parameters.h>
#include <weft/plugin.h>

struct LtMemorySpec {
    std::uint64_t read = 100'000;   // ps
    std::uint64_t write = 100'000;  // ps

    static const weft::ParameterTable<LtMemorySpec>& parameters()
    {
        static const weft::ParameterTable<LtMemorySpec> table(
            {"lt_memory", weft::BlockOwner::endpoint, "a memory with fixed latencies"},
            {weft::time_parameter("read", &LtMemorySpec::read, {0, 10'000'000}, "latency of a read"),
                weft::time_parameter("write", &LtMemorySpec::write, {0, 10'000'000}, "latency of a write")});
        return table;
    }
};

class VendorMemory final : public weft::BaseProtocolMemory {
public:
    VendorMemory(sc_core::sc_module_name name, const weft::RunContext& context, const weft::MemoryRequest& request,
        Mode mode)
        : BaseProtocolMemory(name, context.event_queue, request.path, request.slices, mode),
          memory_("memory", request.parameters.value("hbm.capacity"), time_of(request, "lt_memory.read"),
              time_of(request, "lt_memory.write"), mode == Mode::blocking)
    {
        connect(memory_.socket);
    }

private:
    static sc_core::sc_time time_of(const weft::MemoryRequest& request, const char* parameter)
    {
        return {static_cast<double>(request.parameters.value(parameter)), sc_core::SC_PS};
    }

    LtMemory memory_;
};
