#include "gpu/dma_spec.h"

namespace weft {

namespace {

constexpr std::uint64_t ms = 1'000'000'000;
constexpr std::uint64_t slowest = 1'000'000;
constexpr std::uint64_t fastest = 1'000'000'000'000'000;

}  // namespace

const ParameterTable<CopySpec>& CopySpec::parameters()
{
    static const ParameterTable<CopySpec> table({"copy", BlockOwner::endpoint, "copy engines"},
        {
            {{"engines", Unit::count, 1, 64, "copy engines", {}}, &CopySpec::engines},
            {{"queues", Unit::count, 1, 4096, "command lists that an engine works on at once", {}}, &CopySpec::queues},
            {{"in_flight", Unit::count, 1, 1'000'000, "lines of an engine without an answer", {}},
                &CopySpec::in_flight},
            {{"start", Unit::time, 0, 1000 * ms, "descriptor at the head to its first load", {}}, &CopySpec::start},
            {{"rate", Unit::rate, slowest, fastest, "what an engine stores, a whole line each", {}}, &CopySpec::rate},
            {{"poll_interval", Unit::time, 1, ms, "answer of one look at a flag to the next look", {}},
                &CopySpec::poll_interval},
            {{"request_latency", Unit::time, 0, ms, "port channel: unit to the proxy's queue in host memory", {}},
                &CopySpec::request_latency},
            {{"proxy_poll", Unit::time, 1, ms, "port channel: one look of the idle proxy at its queue to the next", {}},
                &CopySpec::proxy_poll},
            {{"proxy_service", Unit::time, 0, 1000 * ms, "port channel: what a request takes the proxy", {}},
                &CopySpec::proxy_service},
        });
    return table;
}

const ParameterTable<BulkSpec>& BulkSpec::parameters()
{
    static const ParameterTable<BulkSpec> table({"bulk", BlockOwner::endpoint, "bulk copies that units issue"},
        {
            {{"queue", Unit::count, 1, 64, "bulk copies of a workgroup under way", {}}, &BulkSpec::queue},
            {{"in_flight", Unit::count, 1, 65535, "lines of a unit's bulk copy engine without an answer", {}},
                &BulkSpec::in_flight},
            {{"start", Unit::time, 0, ms, "descriptor at the head to its first load", {}}, &BulkSpec::start},
            {{"rate", Unit::rate, slowest, fastest, "what a unit's bulk copy engine stores, a whole line each", {}},
                &BulkSpec::rate},
        });
    return table;
}

}  // namespace weft
