// One rank run without time: every node finishes as soon as it is handed out. Shows cycles and the order
// in which collectives and transfers are issued.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectives/chakra/feeder.h"
#include "collectives/chakra/matching.h"
#include "collectives/chakra/policy.h"
#include "collectives/chakra/validate.h"

namespace weft::chakra {

struct DryRun {
    std::map<std::uint64_t, CollectiveDigest> collectives;  // by group number
    TransferOrder transfers;                                // of pairs of ranks whose transfers have several sizes
    std::vector<WaitingNode> cycle;  // each waits for the next, the last for the first; empty = it finished
};

// Resolves dependencies as the verdict says so far. `all`: the transfers of all ranks.
DryRun dry_run(const TraceSet& set, const Policy& policy, const Verdict& verdict, const TransferBalance& all,
    std::uint32_t rank);

// "dependency cycle: node 1 waits for 3, which waits for 1"; long cycles are shortened.
std::string text_of(const std::vector<WaitingNode>& cycle);

}  // namespace weft::chakra
