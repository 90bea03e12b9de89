// Parameters of a GPU's on-die network.
#pragma once

#include "base/parameter.h"

namespace weft {

enum class NetworkKind : std::uint8_t { crossbar, mesh };

struct NetworkSpec {
    NetworkKind kind = NetworkKind::crossbar;
    std::uint64_t unit_rate = 0;        // B/s of a compute unit, each way; 0: no limit
    std::uint64_t unit_store_rate = 0;  // B/s out of it, where that is another rate; 0: unit_rate
    std::uint64_t slice_rate = 0;       // B/s of an L2 slice, each way; 0: no limit
    std::uint64_t port_rate = 0;        // B/s of a fabric port, each way, requests and responses apart; 0: no limit
    std::uint64_t header = 0;           // B that every line takes beside its data
    std::uint64_t columns = 8;          // of a mesh
    std::uint64_t rows = 4;             // of a mesh
    std::uint64_t hop_latency = 2'000;  // ps from one tile of a mesh to the next
    std::uint64_t link_rate = 256'000'000'000;  // B/s between two tiles, each way; 0: no limit

    static constexpr std::uint64_t most_tiles = 512;
    std::uint64_t out_of_unit() const { return unit_store_rate > 0 ? unit_store_rate : unit_rate; }
    bool mesh() const { return kind == NetworkKind::mesh; }

    static const ParameterTable<NetworkSpec>& parameters();
};

}  // namespace weft
