// Parameters of a link: one full-duplex connection between two nodes of the fabric.
#pragma once

#include "base/parameter.h"

namespace weft {

// shared: all requests in one channel; split: reads, writes and atomics apart.
enum class VcSet : std::uint8_t { shared, split };

struct LinkSpec {
    std::uint64_t bandwidth = 25'000'000'000;  // B/s per direction, raw (headers included)
    std::uint64_t latency = 70'000;            // ps, last bit out of the sender to line at the receiver
    std::uint64_t flit = 16;                   // B; payloads are padded to whole flits
    std::uint64_t header = 16;                 // B, on every request and response
    std::uint64_t byte_enable = 16;            // B, on requests that write part of a line
    std::uint64_t request_credits = 512;       // lines, receive buffer of each request channel
    std::uint64_t response_credits = 512;      // lines, receive buffer of the response channel
    std::uint64_t pool_credits = 0;            // lines, receive buffer that all channels share beyond their own
    std::uint64_t vcs = 1;                     // VcSet
    std::uint64_t vc_lanes = 1;                 // copies of the set of channels

    static const ParameterTable<LinkSpec>& parameters();
};

}  // namespace weft
