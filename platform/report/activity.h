// The activity of ranks over time: the timeline of a run (--timeline) in equal parts of its time, and as a table of operations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/result/run_result.h"

namespace weft {

struct RankActivity {
    std::uint32_t rank = 0;
    // For each part of the time, by cause: picoseconds of all workgroups together. In the order of RunActivity::causes.
    std::vector<std::vector<double>> parts;
};

struct OperationKind {
    std::string name;  // "move", "signal", ...
    std::uint64_t count = 0;
    Time total_ps = 0;  // of all workgroups together
    Time longest_ps = 0;
    std::map<std::string, Time> spent_ps;  // by cause
};

struct RunActivity {
    Time end_ps = 0;
    std::size_t parts = 0;
    std::vector<std::string> causes;
    std::vector<RankActivity> ranks;  // those with operations, in order; the first `most_ranks`
    std::size_t ranks_in_all = 0;
    std::vector<OperationKind> operations;  // the longest first
};

// An operation's causes count evenly over its time. Where no workgroup has any, or `by_nodes`, as of a trace at flow fidelity, whose
// computations are no workgroups, ranks have the nodes of their trace, by kind ("node_compute"). `timeline` is RunResult::timeline.
RunActivity read_activity(const std::string& timeline, Time end, std::size_t parts, std::size_t most_ranks,
    bool by_nodes = false);

}  // namespace weft
