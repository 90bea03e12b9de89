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
        {{"response_saving", Unit::bytes, 0, 256, "by which the header of a response is shorter", {}},
            &LinkSpec::response_saving},
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
        {{"address_extension", Unit::bytes, 0, 256, "added to requests whose address region is not remembered", {}},
            &LinkSpec::address_extension},
        {{"extension_region", Unit::bytes, 64, std::uint64_t{1} << 48, "size of an address region", {}},
            &LinkSpec::extension_region},
        {{"extension_ways", Unit::count, 1, 8, "address regions that are remembered, per direction", {}},
            &LinkSpec::extension_ways},
        {{"atomic_extra", Unit::bytes, 0, 256, "added to atomic requests", {}}, &LinkSpec::atomic_extra},
        {{"merge", Unit::choice, 0, 2, "which lines share a packet", {"none", "adjacent", "destination"}},
            &LinkSpec::merge},
        {{"max_payload", Unit::bytes, 64, 65536, "of a packet, where lines merge", {}}, &LinkSpec::max_payload},
        {{"packet_overhead", Unit::bytes, 0, 256, "added to every packet", {}}, &LinkSpec::packet_overhead},
        {{"frame", Unit::bytes, 0, 65536, "size of a data-link frame; 0: packets travel by themselves", {}},
            &LinkSpec::frame},
        {{"frame_payload", Unit::bytes, 0, 65536, "packets' share of a frame", {}}, &LinkSpec::frame_payload},
        {{"credit_bytes", Unit::bytes, 0, 256, "of a message that returns credits; 0: they travel in headers", {}},
            &LinkSpec::credit_bytes},
        {{"credit_batch", Unit::count, 1, 1024, "credits that one message returns", {}}, &LinkSpec::credit_batch},
        {{"bundle", Unit::count, 1, 64, "physical links that share the load and the bandwidth", {}},
            &LinkSpec::bundle},
        {{"bundle_spread", Unit::choice, 0, 1, "how packets choose among them: by line address or in turn",
             {"lines", "round_robin"}},
            &LinkSpec::bundle_spread},
    });
    return table;
}

}  // namespace weft
