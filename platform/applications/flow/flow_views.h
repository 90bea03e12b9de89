// What is seen of a run at flow fidelity beside its times: what ranks wait for, critical paths, the timeline, links over time. Nothing
// of it changes a time.
//
// Causes of waiting are kept of up to 64 ranks; of more with --watch, or where a log of operations is kept as well. The log has at most
// `most_operations` of them, about 1 KB each with the timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/engine/flow/flow_executor.h"
#include "collectives/engine/node_log.h"
#include "collectives/flow/flow_log.h"
#include "collectives/flow/links/link_series.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/simulation/background_kernel.h"
#include "platform/simulation/run.h"

namespace weft {

class FlowViews {
public:
    static constexpr std::uint64_t most_operations = 1'000'000;
    static constexpr std::size_t most_ranks_counted = 64;

    FlowViews(const RunOptions& options, std::size_t ranks);

    // Before anything is opened.
    void attach(FlowCore& core, const FlowExecutor& executor);
    // Whether operations, and the nodes of a trace, are logged.
    bool follows() const { return follows_; }
    NodeLog& nodes() { return nodes_; }
    void show(const BackgroundKernel& kernels) { kernels_ = &kernels; }
    // A page goes without a timeline where the program of a collective is too large for one.
    void fit(const FlowProgram& program);
    // Throws InputError if the operations of a single collective are asked for, and are too many.
    void require_recorded(const ResolvedSystem& system) const;

    // The run is over, at this time; what has not ended is cut off.
    void finish(Picoseconds now, bool ended);
    // Ranks, links and collectives of the result are there.
    void add_to(RunResult& result, const FlowFabric& fabric, bool one_for_all);
    std::vector<std::string> notices(const RunResult& result) const;

private:
    void add_causes(RunResult& result, bool one_for_all) const;
    void add_operations_to(RunResult& result) const;

    const RunOptions& options_;
    bool follows_;
    std::optional<FlowLog> log_;
    std::optional<LinkSeries> series_;
    NodeLog nodes_;
    FlowCore* core_ = nullptr;
    const FlowExecutor* executor_ = nullptr;
    const BackgroundKernel* kernels_ = nullptr;
    std::optional<Picoseconds> stopped_at_;  // of a run that has not finished
    std::uint64_t too_many_ = 0;             // operations of a collective that a page goes without
};

}  // namespace weft
