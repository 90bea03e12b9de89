// What ASTRA-sim 2.0's analytical network assumes: whole messages, a reduction is three passes over the local memory, times in
// whole nanoseconds.
#pragma once

#include "collectives/flow/flow_core.h"

namespace weft::testing {

inline constexpr double astra_memory_bytes_per_ns = 1600;
inline constexpr std::uint64_t astra_link_ps = 500'000;
inline constexpr std::uint64_t astra_endpoint_ps = 10'000;

inline FlowProfile astra_assumptions()
{
    FlowProfile profile;
    profile.links.quantum_ps = 1000;
    profile.signals_with_data = true;
    profile.reduction_passes = 3;
    profile.memory_ps_per_byte = 1000 / astra_memory_bytes_per_ns;
    return profile;
}

inline FlowRanks astra_ranks(std::uint32_t n)
{
    CostRank rank;
    rank.notice_ps = astra_endpoint_ps;
    rank.launch_ps = astra_endpoint_ps;
    FlowRanks ranks;
    ranks.kinds = {rank};
    ranks.kind_of.assign(n, 0);
    return ranks;
}

}  // namespace weft::testing
