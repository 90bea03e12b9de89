// How routes are chosen.
#pragma once

#include "base/parameter.h"

namespace weft {

enum class RouteSpread : std::uint8_t { lines, pairs, none };
enum class CyclePolicy : std::uint8_t { refuse, allow };

struct RoutingSpec {
    std::uint64_t spread = 0;  // RouteSpread
    std::uint64_t cycles = 0;  // CyclePolicy

    static const ParameterTable<RoutingSpec>& parameters()
    {
        static const ParameterTable<RoutingSpec> table({
            {{"spread", Unit::choice, 0, 2,
                 "over equal minimal paths: line by line, by pair of endpoints, or always the first",
                 {"lines", "pairs", "none"}},
                &RoutingSpec::spread},
            {{"cycles", Unit::choice, 0, 1,
                 "what becomes of a system whose channel dependencies form a cycle", {"refuse", "allow"}},
                &RoutingSpec::cycles},
        });
        return table;
    }
};

}  // namespace weft
