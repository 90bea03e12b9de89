#include "sc_models/hbm_spec.h"

namespace weft {

const ParameterTable<HbmSpec>& HbmSpec::parameters()
{
    static const ParameterTable<HbmSpec> table({
        {{"bandwidth", Unit::rate, 1'000'000, 100'000'000'000'000, "all channels together, as sustained", {}},
            &HbmSpec::bandwidth},
        {{"latency", Unit::time, 1, 1'000'000'000, "request at the channel to data at the slice", {}},
            &HbmSpec::latency},
        {{"channels", Unit::count, 1, 1024, "independent channels", {}}, &HbmSpec::channels},
        {{"capacity", Unit::bytes, 1ULL << 20, 1ULL << 42, "memory of one GPU", {}}, &HbmSpec::capacity},
    });
    return table;
}

}  // namespace weft
