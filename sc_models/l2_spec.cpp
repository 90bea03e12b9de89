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
        {{"monitors", Unit::count, 0, 1ULL << 20, "waiters of flags in the table of a slice", {}}, &L2Spec::monitors},
        {{"monitor_log_latency", Unit::time, 0, 1'000'000'000, "later wake-up of a waiter beyond the table", {}},
            &L2Spec::monitor_log_latency},
        {{"monitor_timeout", Unit::time, 0, 1'000'000'000'000, "after which a monitor gives up; 0: never", {}},
            &L2Spec::monitor_timeout},
        {{"wake", Unit::choice, 0, 1, "who is woken when a flag changes", {"all", "one"}}, &L2Spec::wake},
    });
    return table;
}

}  // namespace weft
