#include "tlm_interconnect/switch_spec.h"

namespace weft {

const ParameterTable<SwitchSpec>& SwitchSpec::parameters()
{
    static const ParameterTable<SwitchSpec> table({
        {{"latency", Unit::time, 1, 1'000'000'000, "input buffer to arbitration, for every line", {}},
            &SwitchSpec::latency},
    });
    return table;
}

}  // namespace weft
