#include "gpu/interface/dma_spec.h"

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
            {{"in_flight", Unit::count, 1, 1'000'000, "requests of an engine in flight", {}}, &CopySpec::in_flight},
            {{"start", Unit::time, 0, 1000 * ms,
                 "latency from the descriptor at the head of the queue to its first load", {}},
                &CopySpec::start},
            {{"rate", Unit::rate, slowest, fastest, "rate of stores of an engine, each a whole line", {}},
                &CopySpec::rate},
            {{"poll_interval", Unit::time, 1, ms, "time from the response of one poll of a flag to the next poll", {}},
                &CopySpec::poll_interval},
            {{"request_latency", Unit::time, 0, ms,
                 "port channel: latency from a unit to the proxy's queue in host memory", {}},
                &CopySpec::request_latency},
            {{"proxy_poll", Unit::time, 1, ms, "port channel: time between two polls of the idle proxy at its queue",
                 {}},
                &CopySpec::proxy_poll},
            {{"proxy_service", Unit::time, 0, 1000 * ms, "port channel: time that the proxy needs for a request", {}},
                &CopySpec::proxy_service},
        });
    return table;
}

const ParameterTable<BulkSpec>& BulkSpec::parameters()
{
    static const ParameterTable<BulkSpec> table({"bulk", BlockOwner::endpoint, "bulk copies that units issue"},
        {
            {{"queue", Unit::count, 1, 64, "bulk copies of a workgroup in flight", {}}, &BulkSpec::queue},
            {{"in_flight", Unit::count, 1, 65535, "requests of a unit's bulk copy engine in flight", {}},
                &BulkSpec::in_flight},
            {{"start", Unit::time, 0, ms, "latency from the descriptor at the head of the queue to its first load", {}},
                &BulkSpec::start},
            {{"rate", Unit::rate, slowest, fastest, "rate of stores of a unit's bulk copy engine, each a whole line",
                 {}},
                &BulkSpec::rate},
        });
    return table;
}

}  // namespace weft
