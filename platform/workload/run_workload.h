// The workload of a run: one collective, by an algorithm or a plan, or a trace set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/chakra/validate.h"
#include "collectives/engine/collective_driver.h"
#include "collectives/engine/lines/line_executor.h"
#include "collectives/engine/traces/trace_engine.h"
#include "platform/configuration/resolved_system.h"
#include "platform/workload/plan_load.h"
#include "platform/workload/replay_traffic.h"
#include "platform/workload/trace_choice.h"
#include "platform/assembly/fabric_plan.h"

namespace weft {

// What `make` finds wrong is placed at the workload of the system file where it has no place of its own.
void at_workload(const ResolvedSystem& system, const std::function<void()>& make);

class RunWorkload {
public:
    // Reads traces and plans. Throws InputError for what cannot be carried out.
    explicit RunWorkload(const ResolvedSystem& system);

    std::uint64_t ranks() const { return traces_ ? traces_->ranks() : 0; }
    // Whether a trace has memory nodes.
    bool has_memory_nodes() const;
    // The number of GPUs that it needs; 0 = the number of the workload.
    std::uint64_t wanted() const { return plan_ ? plan_->schedule->size() : ranks(); }

    // Whether it is certain that no copy engine reads flags; false for plans and traces, which may name copy engines.
    bool by_units_only() const;

    // Those of the workload with their rates; before what follows.
    void set_dimensions(std::vector<Dimension> dimensions, std::size_t ranks)
    {
        dimensions_ = std::move(dimensions);
        members_ = ranks;
    }

    // The single collective.
    CollectiveRequest collective(std::size_t members) const;

    // Throws InputError for replay GPUs where the workload has no use for them.
    void require_endpoints(const ReplayTraffic& traffic, std::size_t ranks) const;

    // Throws InputError for what attach() and the engine would refuse, without a module: of the collective, if that is one. With `plan`
    // also where it needs more memory, or more groups in switches, than there is. Of traces, of an algorithm that is to be chosen and of
    // algorithms over more than 512 ranks none of that is known.
    void require_schedule(std::size_t members, const FabricPlan* plan) const;

    // Collectives of a trace are chosen for, on this plan.
    void choose(const FabricPlan& plan, bool progress) { choice_.emplace(system_, plan, progress); }

    // The first `members` endpoints are ranks, those from `accelerators` on memories.
    void attach(Executor& executor, std::size_t members, std::size_t accelerators,
        std::shared_ptr<const Schedule> schedule);

    // The nodes of a trace write themselves into `log`. Behind attach(), before start().
    void follow(NodeLog& log)
    {
        if (engine_) engine_->follow(log);
    }
    void start() { driver_ ? driver_->start() : engine_->start(); }
    bool finished() const { return driver_ ? driver_->finished() : engine_->finished(); }
    bool let_one_more_in() { return engine_ && engine_->let_one_more_in(); }
    // By rank; 0 for those that have not finished.
    std::vector<Picoseconds> finish_times() const
    {
        return driver_ ? driver_->finish_times() : engine_->finish_times();
    }
    std::vector<std::string> blocked() const { return engine_ ? engine_->blocked() : std::vector<std::string>(); }
    std::vector<std::string> notices_of_run() const;
    // The time [0, end] of the rank by activity; empty for a collective.
    std::vector<std::pair<std::string, Time>> breakdown(std::uint32_t rank, Time end) const;
    // Of a trace; nothing where compute nodes of the rank state none.
    std::optional<double> operations(std::uint32_t rank) const;
    // Whether compute nodes of it took a time in place of their loads and stores.
    bool leaves_accesses_out(std::uint32_t rank) const;
    const CollectiveDriver* driver() const { return driver_ ? &*driver_ : nullptr; }
    const std::vector<Diagnostic>& notices() const { return plan_ ? plan_->notices : verdict_.notices; }

private:
    std::string default_dimensions() const;

    const ResolvedSystem& system_;
    std::vector<Dimension> dimensions_;
    std::size_t members_ = 0;
    std::optional<chakra::TraceSet> traces_;
    chakra::Verdict verdict_;
    std::optional<PlanLoad> plan_;
    std::optional<TraceChoice> choice_;
    std::optional<CollectiveDriver> driver_;
    std::unique_ptr<TraceEngine> engine_;
};

}  // namespace weft
