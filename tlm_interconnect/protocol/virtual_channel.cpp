#include "tlm_interconnect/protocol/virtual_channel.h"

namespace weft {

std::string vc_name(std::uint8_t vc, unsigned lanes)
{
    static const char* names[vc_classes] = {"request", "write", "atomic", "response"};
    const std::string name = names[vc % vc_classes];
    return lanes > 1 ? name + " of VC set " + std::to_string(lane_of(vc)) : name;
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

}  // namespace weft
