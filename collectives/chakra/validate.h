// The check whether a trace set can run, and how: it is read once for every rank and then run without time, each node
// finishing at once. In memory are nodes that were read and have not finished, not the whole trace (feeder.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/diagnostic.h"
#include "collectives/chakra/feeder.h"
#include "collectives/chakra/groups.h"
#include "collectives/chakra/policy.h"
#include "collectives/chakra/summary.h"
#include "collectives/chakra/trace_set.h"

namespace weft::chakra {

struct Verdict {
    std::vector<Diagnostic> problems;  // why it cannot run; bounded
    std::vector<Diagnostic> notices;   // what was decided or passed over
    bool control = false;              // control dependencies are resolved beside data dependencies

    // By rank.
    std::vector<Summary> summaries;
    std::vector<GroupTable> groups;
    std::vector<std::shared_ptr<const IdSet>> absent;  // parents that the file does not hold
    std::vector<std::shared_ptr<const ReadAhead>> read_ahead;

    bool runnable() const { return problems.empty(); }
    // Throws InputError with every problem unless runnable().
    void require_runnable() const;
};

// Throws InputError when a file cannot be read to its end (bad framing, an attribute of the wrong type);
// everything else that is wrong ends in `problems`.
Verdict validate(const TraceSet& set, const Policy& policy = {});

// A feeder for one rank that resolves dependencies as the verdict says.
Feeder make_feeder(const TraceSet& set, const Verdict& verdict, std::uint32_t rank);

}  // namespace weft::chakra
