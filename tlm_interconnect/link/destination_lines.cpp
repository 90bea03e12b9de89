#include "tlm_interconnect/link/destination_lines.h"

#include <algorithm>

#include "base/line_size.h"
#include "tlm_interconnect/link/link_spec.h"

namespace weft {

std::uint32_t destination_lines(const LinkSpec& spec)
{
    if (spec.merge != MergeKind::destination) return 0;
    const std::uint64_t line = spec.header + (line_bytes + spec.flit - 1) / spec.flit * spec.flit;
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, spec.max_payload / line));
}

}  // namespace weft
