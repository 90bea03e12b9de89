// One pass over one rank's file: the summary, what cannot run by itself, and what is needed to judge
// dependencies, groups and the agreement with other ranks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "collectives/chakra/findings.h"
#include "collectives/chakra/groups.h"
#include "collectives/chakra/matching.h"
#include "collectives/chakra/policy.h"
#include "collectives/chakra/read_ahead.h"
#include "collectives/chakra/summary.h"
#include "collectives/chakra/trace_set.h"

namespace weft::chakra {

struct RankScan {
    Summary summary;
    std::map<std::uint64_t, AbsentParent> absent;
    std::shared_ptr<const IdSet> absent_ids;
    std::shared_ptr<const ReadAhead> read_ahead;
    std::uint64_t absent_control = 0;  // control dependencies on absent nodes
    GroupDefinitions groups;           // of its metadata nodes

    struct Mention {
        std::string node;
        int line = 0;
    };
    std::map<std::string, Mention> mentions;  // group -> first communication node in it
    std::uint64_t launchers = 0;
    std::uint64_t invalid_nodes = 0;
    std::set<std::pair<std::uint64_t, std::uint64_t>> narrowed;  // group and dimensions that a node of it leaves out
    std::uint64_t partial_dimensions = 0;                        // nodes that leave out a network dimension
    std::uint64_t timeless = 0;         // accelerator compute nodes without a time or operations
    std::uint64_t timeless_on_cpu = 0;  // compute nodes of the CPU without a time; the roofline is the accelerator's
    std::uint64_t skipped = 0;          // nodes with operations and 0 bytes, without a time
    std::uint64_t contradictions = 0;   // nodes whose product of matrices is not their num_ops
    std::string contradiction;          // the first of them
    bool has_operations = false;        // some node has operations or bytes for a roofline
};

// Throws InputError when the file cannot be read to its end.
RankScan scan_rank(const TraceSet& set, std::uint32_t rank, const Policy& policy, TransferBalance& transfers,
    Findings& findings);

}  // namespace weft::chakra
