// The check whether a single node can be executed.
#pragma once

#include <cstdint>
#include <string>

#include "collectives/chakra/findings.h"
#include "collectives/chakra/node.h"
#include "collectives/chakra/policy.h"

namespace weft::chakra {

struct NodeContext {
    const Policy& policy;
    const std::string& file;
    std::uint32_t rank;
    std::uint32_t ranks;
};

// Adds what keeps `node` from running, naming node and attribute. Groups and partners on other ranks
// are checked elsewhere.
void check_node(const Node& node, const NodeContext& context, Findings& findings);

// The node takes part in matching between ranks: a send or receive of this rank with every attribute.
bool is_matchable_transfer(const Node& node, const NodeContext& context);

}  // namespace weft::chakra
