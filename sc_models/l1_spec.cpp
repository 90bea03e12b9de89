#include "sc_models/l1_spec.h"

namespace weft {

const ParameterTable<L1Spec>& L1Spec::parameters()
{
    static const ParameterTable<L1Spec> table({"l1", BlockOwner::endpoint, "first-level cache of a compute unit"},
        {
            {{"size", Unit::bytes, 0, 1ULL << 30, "capacity of the L1 of one unit; 0: no L1", {}}, &L1Spec::size},
            {{"ways", Unit::count, 1, 1024, "lines per set", {}}, &L1Spec::ways},
            {{"line", Unit::bytes, 64, 128, "bytes of one tag, in sectors of 64: 64 or 128", {}}, &L1Spec::line},
            {{"latency", Unit::time, 1, 1'000'000'000, "latency from the issue of a load to its data, on a hit", {}},
                &L1Spec::latency},
            {{"bandwidth", Unit::rate, 1'000'000, 100'000'000'000'000, "rate of hits of one unit", {}},
                &L1Spec::bandwidth},
            {{"outstanding_misses", Unit::count, 1, 65534, "sectors that a unit can fetch at once", {}},
                &L1Spec::outstanding_misses},
            {{"cache_peers", Unit::choice, 0, 1, "whether lines of other GPUs are kept", {"off", "on"}},
                &L1Spec::cache_peers},
        });
    return table;
}

}  // namespace weft
