#include "vendor_memory.h"

#include <string>

namespace {

void add(weft::ModelRegistrar& registry, const std::string& name, const std::string& text,
    weft::BaseProtocolMemory::Mode mode)
{
    registry.add_memory(weft::ModelDeclaration(name, text)
                            .with_parameters<LtMemorySpec>()
                            .with_reads({"hbm.capacity"})
                            .with_statistics(weft::base_protocol_memory_statistics()),
        [mode](const weft::RunContext& context, const weft::MemoryRequest& request) {
            return std::make_unique<VendorMemory>(request.module_name.c_str(), context, request, mode);
        });
}

}  // namespace

WEFT_PLUGIN(registry)
{
    using Mode = weft::BaseProtocolMemory::Mode;
    add(registry, "lt_memory", "a TLM-2.0 LT memory, called by b_transport from 64 threads", Mode::blocking);
    add(registry, "lt_memory_calls", "the same, called by b_transport from one method", Mode::direct);
    add(registry, "lt_memory_dmi", "the same, by its DMI pointer", Mode::dmi);
}
