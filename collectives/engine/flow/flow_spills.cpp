// Memory nodes at flow fidelity: a store of more than an L2 holds leaves it full of dirty lines, which later lines displace.
#include <algorithm>
#include <cmath>

#include "collectives/engine/flow/flow_executor.h"

namespace weft {

// A store that fits finds the lines of the one before it, as a rule: nodes have the buffers that others have given back. The lines of
// a larger one are gone when the next one comes to them, so that one displaces as many as it has.
FlowExecutor::Displaces FlowExecutor::displaces(std::uint32_t home, std::uint64_t bytes, bool write, bool cached)
{
    const std::uint64_t cache = endpoints_[home].cache;
    if (dirty_.empty()) dirty_.resize(endpoints_.size());
    std::uint64_t& dirty = dirty_[home];
    if (!write) {
        const std::uint64_t displaced = cached ? 0 : std::min(dirty, bytes);
        dirty -= displaced;
        return {0, displaced};
    }
    if (bytes <= cache) return {};
    const std::uint64_t room = cache - std::min(cache, dirty);
    dirty = cache;
    return {room, bytes};
}

Picoseconds FlowExecutor::serve_node(std::uint32_t home, std::uint64_t bytes, bool write, bool cached, Picoseconds from)
{
    const Displaces out = displaces(home, bytes, write, cached);
    if (write) {  // whole lines that are stored stay in the cache as long as there is room
        const std::uint64_t kept = bytes - out.bytes();
        return displace(home, out.bytes(), kept > 0 ? serve(home, kept, true, from) : from);
    }
    if (out.bytes() > 0) serve(home, out.bytes(), false, from);
    return serve(home, bytes, cached, from);
}

Picoseconds FlowExecutor::displace(std::uint32_t home, std::uint64_t bytes, Picoseconds from)
{
    if (bytes == 0) return from;
    const FlowEndpoint& at = endpoints_[home];
    const Picoseconds taken = serve(home, bytes, false, from);
    if (at.memory_bytes_per_s <= 0) return taken;
    const double on_the_way = std::min(static_cast<double>(bytes), at.write_room) / at.memory_bytes_per_s * 1e12;
    return std::max(from, taken - std::min(taken, static_cast<Picoseconds>(std::llround(on_the_way))));
}

}  // namespace weft
