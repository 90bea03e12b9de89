// Packets that network cards make of lines, and the paths that these take.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/assembly/fabric_plan.h"

namespace weft {

// A link of a network, in whose format messages have a header.
bool carries_messages(const LinkSpec& link);
// Lines of a packet, as the narrowest link of the network has room for them: cards cut messages for all links of the way.
std::uint32_t path_lines_of_network(const ResolvedSystem& system, const FabricPlan& plan);
// How packets of `path_lines` choose among equal paths behind a card. Requesters keep stripes of `routing.stripe` on one path; the card
// keeps as many stripes as a packet has. It changes nothing where all lines of a pair take one path (pairs, none).
PacketPaths packet_paths(const ResolvedSystem& system, std::uint32_t path_lines);
// Path hashes in a row that share a path, by node and port: more than 1 where a line leaves a card for the network.
std::vector<std::vector<std::uint32_t>> stripes_of_packets(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
