// Packets that network cards make of lines, and the paths that these take.
#pragma once

#include <cstdint>
#include <vector>

#include "platform/assembly/fabric_plan.h"

namespace weft {

// A link of a network, in whose format messages have a header.
bool carries_messages(const LinkSpec& link);
// What the narrowest link of the network takes in a packet: cards cut messages for the whole way.
std::uint32_t path_lines_of_network(const ResolvedSystem& system, const FabricPlan& plan);
// Of packets of `path_lines`. So many of what the requesters keep on one path (`routing.stripe`) take one path behind the card; where
// all lines of a pair take one path anyway, the card changes nothing.
PacketPaths packet_paths(const ResolvedSystem& system, std::uint32_t path_lines);
// Path hashes in a row that share a path, by node and port: more than 1 where a line leaves a card for the network.
std::vector<std::vector<std::uint32_t>> stripes_of_packets(const ResolvedSystem& system, const FabricPlan& plan);

}  // namespace weft
