#include "sc_models/l2_spec.h"

namespace weft {

const ParameterTable<L2Spec>& L2Spec::parameters()
{
    static const ParameterTable<L2Spec> table({
        {{"size", Unit::bytes, 64, 1ULL << 36, "capacity of all slices", {}}, &L2Spec::size},
        {{"ways", Unit::count, 1, 64, "lines per set", {}}, &L2Spec::ways},
        {{"slices", Unit::count, 1, 1024, "slices that lines are interleaved over", {}}, &L2Spec::slices},
        {{"bandwidth", Unit::rate, 1'000'000, 1'000'000'000'000'000, "all slices together", {}},
            &L2Spec::bandwidth},
        {{"latency", Unit::time, 1, 1'000'000'000, "line at the slice to data ready, on a hit", {}},
            &L2Spec::latency},
        {{"outstanding_misses", Unit::count, 1, 65535, "misses in flight per slice", {}},
            &L2Spec::outstanding_misses},
    });
    return table;
}

}  // namespace weft
