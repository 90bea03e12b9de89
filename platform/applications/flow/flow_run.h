// One run at flow fidelity: what it has, made ready from a resolved system (flow_run.cpp: the parts, the workload, its schedule), run to
// its end, and gathered into a result (flow_result.cpp). Callers use run_flow().
//
// Errors: the constructor throws InputError for what cannot be run at flow fidelity.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectives/engine/protocol_choice.h"
#include "platform/applications/flow/flow_fabric.h"
#include "platform/applications/flow/flow_views.h"
#include "platform/applications/flow/large_collective.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/simulation/background_kernel.h"
#include "platform/workload/run_workload.h"

namespace weft {

class FlowRun {
public:
    FlowRun(const ResolvedSystem& resolved, const RunOptions& options);

    RunResult run();
    // Whether one rank cannot stand for all, after all: the run is to be made without that.
    bool tied() const { return core_.ties() > 0; }

private:
    std::vector<NodeId> members(std::size_t& ranks);
    FlowCalibration calibration() const;
    // Without kernels, times are those of collectives alone.
    bool has_kernels() const;
    void set_beside();
    // Refuses requested outputs that this run cannot give, before it begins.
    void check_lists() const;
    std::vector<Dimension> dimensions() const;
    bool combines() const;
    void prepare_collective();
    void find_symmetry();
    void attach_trace();
    void attach_collective(bool named);

    std::string progress_text(double seconds) const;
    bool finished() const { return large_ ? large_->finished() : load_.finished(); }
    bool let_one_more_in() { return !large_ && load_.let_one_more_in(); }

    void gather(RunResult& result);
    void gather_ranks(RunResult& result) const;
    void gather_links(RunResult& result);
    void export_plan(RunResult& result);
    void tell(RunResult& result);
    void tell_symmetry(std::vector<std::string>& notices) const;
    void tell_limits(std::vector<std::string>& notices) const;

    static constexpr const char* views_follow =
        "the operations of all ranks are asked for (--critical-path, --timeline, --html)";

    const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    const ResolvedSystem& resolved_;
    const RunOptions& options_;
    RunWorkload load_;
    std::size_t ranks_ = 0;
    FlowFabric fabric_;
    const FlowCalibration calibration_;
    FlowCore core_;
    ProtocolChoice protocols_;
    FlowExecutor executor_;
    FlowViews views_;
    std::set<std::shared_ptr<const Schedule>> looked_at_;  // for first_loads_: jobs of a trace share schedules
    std::uint32_t first_loads_ = 0;
    std::optional<CollectiveRequest> request_;
    std::optional<LargeCollective> large_;
    std::optional<BackgroundKernel> beside_;
    std::optional<ChoiceResult> choice_;
    std::vector<Assumption> combining_;
    std::uint32_t written_channels_ = 1;
    std::string symmetry_;  // of a large collective
};

}  // namespace weft
