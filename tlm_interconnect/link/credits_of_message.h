// Credits that one message of a link returns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm_interconnect/link/link_spec.h"

namespace weft {

// How many credits one message returns: credit_batch, and no more than the smallest buffer has, whose receiver would wait for more for ever.
inline std::uint64_t credits_of_message(const LinkSpec& spec)
{
    const std::uint64_t smallest = std::min(spec.request_credits, spec.response_credits) + spec.pool_credits;
    return std::min(spec.credit_batch, std::max<std::uint64_t>(1, smallest));
}

}  // namespace weft
