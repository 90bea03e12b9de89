#include "tlm_interconnect/link_spec.h"

namespace weft {

const ParameterTable<LinkSpec>& LinkSpec::parameters()
{
    static const ParameterTable<LinkSpec> table({
        {{"bandwidth", Unit::rate, 1'000'000, 100'000'000'000'000, "raw rate per direction, headers included", {}},
            &LinkSpec::bandwidth},
        {{"latency", Unit::time, 1, 1'000'000'000'000, "last bit sent to line at the receiver, one way", {}},
            &LinkSpec::latency},
        {{"flit", Unit::bytes, 1, 256, "payloads are padded to whole flits", {}}, &LinkSpec::flit},
        {{"header", Unit::bytes, 0, 256, "added to every request and response", {}}, &LinkSpec::header},
        {{"byte_enable", Unit::bytes, 0, 256, "added to requests that write part of a line", {}},
            &LinkSpec::byte_enable},
        {{"request_credits", Unit::count, 1, 65535, "request lines the receiver can hold, in each request channel", {}},
            &LinkSpec::request_credits},
        {{"response_credits", Unit::count, 1, 65535, "response lines the receiver can hold", {}},
            &LinkSpec::response_credits},
        {{"pool_credits", Unit::count, 0, 65535, "further lines the receiver can hold, of any channel", {}},
            &LinkSpec::pool_credits},
        {{"vcs", Unit::choice, 0, 1, "virtual channels of requests: one, or reads, writes and atomics apart",
             {"shared", "split"}},
            &LinkSpec::vcs},
        {{"vc_lanes", Unit::count, 1, 4, "copies of the set of virtual channels, for routes that need them", {}},
            &LinkSpec::vc_lanes},
    });
    return table;
}

}  // namespace weft
