// Parameters of a link: one full-duplex connection between two nodes of the fabric.
#pragma once

#include "base/parameter.h"

namespace weft {

struct LinkSpec {
    std::uint64_t bandwidth = 25'000'000'000;  // B/s per direction, raw (headers included)
    std::uint64_t latency = 70'000;            // ps, last bit out of the sender to line at the receiver
    std::uint64_t flit = 16;                   // B; payloads are padded to whole flits
    std::uint64_t header = 16;                 // B, on every request and response
    std::uint64_t byte_enable = 16;            // B, on requests that write part of a line
    std::uint64_t request_credits = 512;       // lines, receive buffer of the request class
    std::uint64_t response_credits = 512;      // lines, receive buffer of the response class

    static const ParameterTable<LinkSpec>& parameters();
};

}  // namespace weft
