#include "tlm_interconnect/link/buffer_space.h"

#include "base/line_size.h"
#include "tlm_interconnect/link/destination_lines.h"

namespace weft {

BufferSpace buffer_space(const LinkSpec& link)
{
    BufferSpace out;
    out.split = link.vcs == RequestVcs::split;
    out.shared = static_cast<std::uint32_t>(link.pool_credits);
    out.packet_lines = out.path_lines = destination_lines(link);
    const auto packet = [&link](bool of_group) {
        const std::uint64_t block = link.merge == MergeKind::adjacent ? adjacent_block(link, of_group) : line_bytes;
        return block > line_bytes ? static_cast<std::uint32_t>(block) : 0U;
    };
    out.packet = packet(false);
    out.group_packet = packet(true);
    for (unsigned vc_set = 0; vc_set < link.vc_sets; ++vc_set) {
        for (const VcClass cls : {VcClass::request, VcClass::write, VcClass::atomic})
            if (out.split || cls == VcClass::request)
                out.lines[vc_of(cls, vc_set)] = static_cast<std::uint32_t>(link.request_credits);
        out.lines[vc_of(VcClass::response, vc_set)] = static_cast<std::uint32_t>(link.response_credits);
    }
    return out;
}

}  // namespace weft
