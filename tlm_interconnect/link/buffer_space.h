// The room behind a link, as its parameters say.
#pragma once

#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/protocol/virtual_channel.h"

namespace weft {

BufferSpace buffer_space(const LinkSpec& link);

}  // namespace weft
