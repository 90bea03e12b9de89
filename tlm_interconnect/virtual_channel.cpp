#include "tlm_interconnect/virtual_channel.h"

#include <algorithm>

#include "base/line_size.h"
#include "tlm_interconnect/destination_lines.h"
#include "tlm_interconnect/link_spec.h"

namespace weft {

std::string vc_name(std::uint8_t vc, unsigned lanes)
{
    static const char* names[vc_classes] = {"request", "write", "atomic", "response"};
    const std::string name = names[vc % vc_classes];
    return lanes > 1 ? name + " of lane " + std::to_string(lane_of(vc)) : name;
}

BufferSpace BufferSpace::of(std::uint32_t requests, std::uint32_t responses)
{
    BufferSpace out;
    out.split = false;
    out.lines[vc_of(VcClass::request, 0)] = requests;
    out.lines[vc_of(VcClass::response, 0)] = responses;
    return out;
}

BufferSpace BufferSpace::ample()
{
    BufferSpace out;
    out.lines.fill(65535);
    return out;
}

unsigned BufferSpace::lanes() const
{
    unsigned count = 0;
    for (unsigned vc = 0; vc < max_vcs; ++vc)
        if (lines[vc] > 0) count = lane_of(static_cast<std::uint8_t>(vc)) + 1;
    return count;
}

BufferSpace buffer_space(const LinkSpec& link)
{
    BufferSpace out;
    out.split = static_cast<VcSet>(link.vcs) == VcSet::split;
    out.shared = static_cast<std::uint32_t>(link.pool_credits);
    out.packet_lines = out.path_lines = destination_lines(link);
    if (static_cast<MergeKind>(link.merge) == MergeKind::adjacent && link.max_payload > line_bytes)
        out.packet = static_cast<std::uint32_t>(link.max_payload);
    if (out.packet > 0 && link.group_payload > line_bytes)
        out.group_packet = static_cast<std::uint32_t>(std::min(link.group_payload, link.max_payload));
    for (unsigned lane = 0; lane < link.vc_lanes; ++lane) {
        for (const VcClass cls : {VcClass::request, VcClass::write, VcClass::atomic})
            if (out.split || cls == VcClass::request)
                out.lines[vc_of(cls, lane)] = static_cast<std::uint32_t>(link.request_credits);
        out.lines[vc_of(VcClass::response, lane)] = static_cast<std::uint32_t>(link.response_credits);
    }
    return out;
}

}  // namespace weft
