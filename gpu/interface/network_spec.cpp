#include "gpu/interface/network_spec.h"

namespace weft {

const ParameterTable<NetworkSpec>& NetworkSpec::parameters()
{
    constexpr std::uint64_t fastest = 1'000'000'000'000'000;
    static const ParameterTable<NetworkSpec> table({"network", BlockOwner::endpoint, "on-die network"},
        {
            {{"kind", Unit::choice, 0, 1, "crossbar: every path is direct; mesh: paths go over the tiles of a grid",
                 {"crossbar", "mesh"}},
                &NetworkSpec::kind},
            {{"unit_rate", Unit::rate, 0, fastest, "rate of a compute unit, each direction; 0: no limit", {}},
                &NetworkSpec::unit_rate},
            {{"unit_store_rate", Unit::rate, 0, fastest,
                 "rate out of a compute unit: data of stores and atomics; 0: network.unit_rate", {}},
                &NetworkSpec::unit_store_rate},
            {{"slice_rate", Unit::rate, 0, fastest, "rate of an L2 slice, each direction; 0: no limit", {}},
                &NetworkSpec::slice_rate},
            {{"port_rate", Unit::rate, 0, fastest,
                 "rate of a fabric port, each direction, separate for requests and responses; 0: no limit", {}},
                &NetworkSpec::port_rate},
            {{"header", Unit::bytes, 0, 64, "bytes of a transaction in addition to its data, at every rate", {}},
                &NetworkSpec::header},
            {{"columns", Unit::count, 1, 64, "tiles of the mesh in a row", {}}, &NetworkSpec::columns},
            {{"rows", Unit::count, 1, 64, "tiles of the mesh in a column; at most 512 tiles in all", {}},
                &NetworkSpec::rows},
            {{"hop_latency", Unit::time, 0, 1'000'000'000, "latency from one tile of a mesh to the next", {}},
                &NetworkSpec::hop_latency},
            {{"link_rate", Unit::rate, 0, fastest, "rate between two tiles of a mesh, each direction; 0: no limit", {}},
                &NetworkSpec::link_rate},
        });
    return table;
}

}  // namespace weft
