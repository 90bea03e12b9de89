// A run that is cut into parts (platform/parallel/).
//
// A run in any number of parts has the results of the run as a whole, to the bit. What does not keep that promise is refused with one
// line: models that need the SystemC kernel (cut_plan.h), and protocol checkers, which know a transaction by its object.
//
// With RunOptions::group each process has some of the parts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "platform/assembly/run_contexts.h"
#include "platform/assembly/system.h"
#include "platform/parallel/conductor.h"
#include "platform/parallel/process_group.h"
#include "platform/simulation/cut_plan.h"
#include "platform/simulation/run.h"

namespace weft {

class CutRun {
public:
    // Throws InputError for what cannot be cut.
    CutRun(const ResolvedSystem& resolved, const FabricPlan& plan, const ModelRegistry& registry,
        const RunOptions& options, const std::vector<bool>* beyond = nullptr);  // as of cut_plan()
    CutRun(const CutRun&) = delete;
    CutRun& operator=(const CutRun&) = delete;

    const Division& division() const { return division_; }
    Time lookahead() const { return plan_.partition.lookahead; }
    std::string text() const { return plan_.text(); }

    // The sites of the executor's endpoints.
    std::vector<LineExecutor::Site> sites(const System& system, const FabricPlan& plan) const;
    // The numbers of their devices.
    std::vector<std::uint32_t> devices(const FabricPlan& plan) const;
    std::unique_ptr<Conductor> conductor(const System& system, std::size_t threads, Turns::Rules rules);

private:
    void share_parts(ProcessGroup& group);

    const CutPlan plan_;
    std::unique_ptr<Transport> transport_;
    Division division_;
};

}  // namespace weft
