#include "tlm_interconnect/switch_spec.h"

namespace weft {

const ParameterTable<SwitchSpec>& SwitchSpec::parameters()
{
    static const ParameterTable<SwitchSpec> table({
        {{"latency", Unit::time, 1, 1'000'000'000, "input buffer to arbitration, for every line", {}},
            &SwitchSpec::latency},
        {{"arbiter", Unit::choice, 0, 2, "who goes first at an output", {"round_robin", "age", "weighted"}},
            &SwitchSpec::arbiter},
        {{"control_weight", Unit::count, 1, 1024, "weighted: control lines in a row while data wait", {}},
            &SwitchSpec::control_weight},
        {{"data_weight", Unit::count, 1, 1024, "weighted: data lines in a row while control lines wait", {}},
            &SwitchSpec::data_weight},
        {{"multicast_groups", Unit::count, 0, 1023, "groups that the switch can know", {}},
            &SwitchSpec::multicast_groups},
        {{"group_contexts", Unit::count, 1, 4095, "operations on groups in progress at a time", {}},
            &SwitchSpec::group_contexts},
        {{"reduce_rate", Unit::rate, 1'000'000, 1'000'000'000'000'000, "operands through the adder, all ports together",
             {}},
            &SwitchSpec::reduce_rate},
    });
    return table;
}

}  // namespace weft
