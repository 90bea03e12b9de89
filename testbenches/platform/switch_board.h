// A system with switches, and schedules written by hand whose steps they carry out.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "platform/assembly/link_results.h"
#include "platform/assembly/switch_groups.h"
#include "testbenches/platform/runs.h"

namespace weft::testing {

// The system of a setup without its workload, in this process, which can do so once. `ranks` 0: all accelerators.
class SwitchBoard {
public:
    explicit SwitchBoard(const RunSetup& setup, bool data_on = true, std::uint64_t ranks = 0);

    // Over the first endpoints, or `members`.
    Executor::JobId open(Schedule schedule, std::uint64_t bytes, ElementType type,
        std::vector<std::uint32_t> members = {});
    void enter_all(Executor::JobId job);
    void run();

    const JobRecord& record(Executor::JobId job) const { return executor.records()[job]; }
    // Time of a job in ps, when it has ended with the right result; a failure of the test otherwise.
    Time time_of(Executor::JobId job) const;
    // Of the direction of the link that leaves (enters) an accelerator for switch `number`.
    LinkResult up(std::uint32_t endpoint, std::size_t number = 0) const;
    LinkResult down(std::uint32_t endpoint, std::size_t number = 0) const;
    double switch_statistic(const std::string& name, std::size_t number = 0) const;

    ResolvedSystem resolved;
    FabricPlan plan;
    ModelRegistry registry;
    System system;
    SwitchGroups groups;
    LineExecutor executor;
};

// Thread c of each rank does part c of `channels`; all meet before the first step and after the last.
Schedule reduce_multicast_all_reduce(std::uint32_t ranks, std::uint32_t channels, bool in_place = true,
    ReduceOp reduction = ReduceOp::sum);
Schedule load_reduce_all_reduce(std::uint32_t ranks, std::uint32_t channels);  // everybody loads all
Schedule push_all_reduce(std::uint32_t ranks, std::uint32_t channels, ReduceOp reduction = ReduceOp::sum);
Schedule load_reduce_scatter(std::uint32_t ranks, std::uint32_t channels, ReduceOp reduction = ReduceOp::sum);
Schedule multicast_all_gather(std::uint32_t ranks, std::uint32_t channels);
Schedule multicast_broadcast(std::uint32_t ranks, std::uint32_t channels);

}  // namespace weft::testing
