// Parameters of a link for the clocked endpoints at its ends (rtl/link), and values that these refuse. Without SystemC.
#pragma once

#include <cstdint>
#include <optional>

#include "tlm_interconnect/link/link_spec.h"

namespace weft {

// ps: a flit on the wire, rounded; at least 1.
std::uint64_t link_block_clock(const LinkSpec& spec);
// Clocks of the wire between the endpoints: link.latency, rounded, less the two that the endpoints take; at least 1.
std::uint64_t link_block_wire(const LinkSpec& spec);
// Clocks that a lone line takes besides its flits: link.latency, rounded, but at least 3.
std::uint64_t link_block_latency(const LinkSpec& spec);
// The shortest TIMEOUT, clocks, that does not end without an error, whatever the load both ways.
std::uint64_t link_block_timeout(const LinkSpec& spec);

// The first thing that the endpoints cannot have, and the parameters that say so; nullopt: none.
std::optional<LinkProblem> link_block_problem(const LinkSpec& spec);

}  // namespace weft
