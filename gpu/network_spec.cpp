#include "gpu/network_spec.h"

namespace weft {

const ParameterTable<NetworkSpec>& NetworkSpec::parameters()
{
    constexpr std::uint64_t fastest = 1'000'000'000'000'000;
    static const ParameterTable<NetworkSpec> table({"network", BlockOwner::endpoint, "on-die network"},
        {
            {{"kind", Unit::choice, 0, 1, "crossbar: every way is direct; mesh: over the tiles of a grid",
                 {"crossbar", "mesh"}},
                &NetworkSpec::kind},
            {{"unit_rate", Unit::rate, 0, fastest, "of a compute unit, each way; 0: no limit", {}},
                &NetworkSpec::unit_rate},
            {{"slice_rate", Unit::rate, 0, fastest, "of an L2 slice, each way; 0: no limit", {}},
                &NetworkSpec::slice_rate},
            {{"port_rate", Unit::rate, 0, fastest,
                 "of a fabric port, each way, requests and answers apart; 0: no limit", {}},
                &NetworkSpec::port_rate},
            {{"header", Unit::bytes, 0, 64, "that a line takes of every rate beside its data", {}},
                &NetworkSpec::header},
            {{"columns", Unit::count, 1, 64, "of a mesh", {}}, &NetworkSpec::columns},
            {{"rows", Unit::count, 1, 64, "of a mesh; at most 512 tiles", {}}, &NetworkSpec::rows},
            {{"hop_latency", Unit::time, 0, 1'000'000'000, "from one tile of a mesh to the next", {}},
                &NetworkSpec::hop_latency},
            {{"link_rate", Unit::rate, 0, fastest, "between two tiles of a mesh, each way; 0: no limit", {}},
                &NetworkSpec::link_rate},
        });
    return table;
}

}  // namespace weft
