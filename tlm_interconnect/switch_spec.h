// Parameters of a switch.
#pragma once

#include "base/parameter.h"

namespace weft {

struct SwitchSpec {
    std::uint64_t latency = 100'000;  // ps, line in the input buffer to eligible for arbitration

    static const ParameterTable<SwitchSpec>& parameters();
};

}  // namespace weft
