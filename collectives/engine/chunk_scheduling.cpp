#include "collectives/engine/chunk_scheduling.h"

namespace weft {

ChunkScheduling scheduling_of(const EngineSpec& spec)
{
    ChunkScheduling out;
    out.order = static_cast<DimensionOrder>(spec.dimension_order);
    out.queue = static_cast<DimensionQueue>(spec.dimension_queue);
    out.chunks = static_cast<std::uint32_t>(spec.dimension_chunks);
    out.streams = static_cast<std::uint32_t>(spec.dimension_streams);
    return out;
}

}  // namespace weft
