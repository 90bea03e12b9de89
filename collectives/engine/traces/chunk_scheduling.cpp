#include "collectives/engine/traces/chunk_scheduling.h"

namespace weft {

ChunkScheduling scheduling_of(const EngineSpec& spec)
{
    ChunkScheduling out;
    out.order = spec.dimension_order;
    out.queue = spec.dimension_queue;
    out.chunks = static_cast<std::uint32_t>(spec.dimension_chunks);
    out.streams = static_cast<std::uint32_t>(spec.dimension_streams);
    return out;
}

}  // namespace weft
