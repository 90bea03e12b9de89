// Names what differs between ranks once sums or hashes have said that something does. Reads the ranks
// concerned again; for error paths.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/chakra/findings.h"
#include "collectives/chakra/matching.h"
#include "collectives/chakra/policy.h"
#include "collectives/chakra/validate.h"

namespace weft::chakra {

// Sends without receives and receives without sends between the given pairs of ranks.
void report_unmatched_transfers(const TraceSet& set, const Policy& policy,
    const std::vector<TransferBalance::Pair>& pairs, Findings& findings);

// The first receive of a pair of ranks whose size is not that of the send that it meets.
void report_transfer_difference(const TraceSet& set, const Policy& policy, const Verdict& verdict,
    const TransferBalance::Pair& pair, Findings& findings);

// The first collective of group `number` in which `rank` and `other` differ.
void report_collective_difference(const TraceSet& set, const Verdict& verdict, std::uint64_t number, std::uint32_t rank,
    std::uint32_t other, Findings& findings);

}  // namespace weft::chakra
