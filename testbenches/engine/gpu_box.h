// A few GPUs with a link between every two, if asked for a switch beside them, and an executor: the smallest thing that
// runs schedules line by line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/lines/line_executor.h"
#include "collectives/schedule/algorithms/algorithms.h"
#include "gpu/gpu.h"
#include "testbenches/engine/box_switch.h"
#include "tlm_interconnect/link/link.h"

namespace weft::testing {

struct BoxOptions {
    unsigned gpus = 2;
    bool data_on = true;
    std::uint64_t seed = 1;
    GpuSpec gpu;
    L2Spec l2;
    L1Spec l1;
    HbmSpec hbm;
    LinkSpec link;
    CopySpec copy;
    BulkSpec bulk;
    EngineSpec engine;
    bool has_switch = false;
    SwitchSpec hub;
};

class GpuBox {
public:
    explicit GpuBox(const BoxOptions& options);

    EventQueue event_queue;
    LinePool pool;
    Progress progress;
    std::vector<std::unique_ptr<Link>> links;
    std::vector<std::unique_ptr<Gpu>> gpus;
    std::unique_ptr<BoxSwitch> hub;  // null without a switch
    std::unique_ptr<LineExecutor> executor;

    // Opens a job over the first GPUs, one per rank of the schedule.
    Executor::JobId open(std::shared_ptr<const Schedule> schedule, std::uint64_t bytes, ElementType type);
    // All ranks enter now.
    void enter_all(Executor::JobId job);
    // Time passes until nothing happens any more.
    void run() { sc_core::sc_start(); }

    bool cannot_progress() const;
    const JobRecord& record(Executor::JobId job) const { return executor->records()[job]; }
};

BoxOptions box(unsigned gpus);
// Rank 0 sends to rank 1, in one chunk.
Schedule lone_put();

// The algorithms that GPUs can carry out by themselves.
std::vector<std::string> algorithms_without_switch(CollectiveOp op);
// The others.
std::vector<std::string> algorithms_in_switch(CollectiveOp op);

std::shared_ptr<Schedule> schedule_of(CollectiveOp op, const std::string& algorithm, std::uint32_t ranks,
    std::uint32_t channels = 1, ReduceOp reduction = ReduceOp::sum);

// One collective alone in a process of its own: when it ended, in ps. It must finish with the right result.
std::uint64_t time_of(const BoxOptions& options, CollectiveOp op, const std::string& algorithm, std::uint64_t bytes,
    ElementType type = ElementType::u8);

// A local read or write of one GPU in a process of its own, in ps.
std::uint64_t access_time(const BoxOptions& options, std::uint64_t bytes, bool write);

}  // namespace weft::testing
