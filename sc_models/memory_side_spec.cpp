#include "sc_models/memory_side_spec.h"

namespace weft {

L2Spec MemorySideSpec::as_cache(unsigned slices) const
{
    L2Spec cache;
    cache.size = size;
    cache.ways = ways;
    cache.slices = slices;
    cache.bandwidth = bandwidth;
    cache.latency = latency;
    cache.outstanding_misses = outstanding_misses;
    cache.outstanding_write_backs = outstanding_write_backs;
    cache.write_back_run = write_back_run;
    cache.line = line;
    return cache;
}

const ParameterTable<MemorySideSpec>& MemorySideSpec::parameters()
{
    constexpr std::uint64_t ms = 1'000'000'000;
    static const ParameterTable<MemorySideSpec> table({"memory_side", BlockOwner::endpoint, "cache in front of memory"},
        {
            {{"size", Unit::bytes, 0, 1ULL << 38,
                 "capacity, with a slice for each memory channel; 0: no memory-side cache", {}},
                &MemorySideSpec::size},
            {{"ways", Unit::count, 1, 64, "lines per set", {}}, &MemorySideSpec::ways},
            {{"bandwidth", Unit::rate, 1'000'000, 1'000'000'000'000'000, "rate of all slices together", {}},
                &MemorySideSpec::bandwidth},
            {{"latency", Unit::time, 1, ms, "latency from the request at the slice to its data, on a hit", {}},
                &MemorySideSpec::latency},
            {{"hop", Unit::time, 0, ms, "latency between an L2 slice and this cache, one way", {}},
                &MemorySideSpec::hop},
            {{"outstanding_misses", Unit::count, 1, 65535, "misses in flight for each slice", {}},
                &MemorySideSpec::outstanding_misses},
            {{"outstanding_write_backs", Unit::count, 0, 65535,
                 "lines that each slice has on their way to memory; 0: any number", {}},
                &MemorySideSpec::outstanding_write_backs},
            {{"write_back_run", Unit::count, 1, 4096,
                 "lines of a slice, one after the other, of which all dirty ones are written back with a displaced "
                 "one; "
                 "1: that one alone",
                 {}},
                &MemorySideSpec::write_back_run},
            {{"line", Unit::bytes, 64, 128,
                 "bytes under one tag: 64 B, or 128 B in two sectors that are fetched one by one", {}},
                &MemorySideSpec::line},
        });
    return table;
}

}  // namespace weft
