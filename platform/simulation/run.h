// Simulates the workload of a resolved system and gathers everything there is to report.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "platform/assembly/model_registry.h"
#include "platform/configuration/parts_file.h"
#include "platform/configuration/resolved_system.h"
#include "platform/result/run_result.h"

namespace weft {

class ProcessGroup;
class Surroundings;

struct RunOptions {
    bool data_on = true;
    std::optional<Time> until;     // ps
    bool check_protocol = false;   // a protocol checker between all modules: slow, changes no time
    bool watch = false;            // queues, credits and waits of every link by virtual channel
    Time window = 0;               // ps; not 0: a time series of all links, which are watched
    bool follow = false;           // what workgroups do when, and the critical path of every collective
    bool follow_if_small = false;  // with `follow` and `flow`: a collective with too many operations goes without
    bool plan = false;             // the schedule of a single collective as MSCCL XML
    std::optional<double> allowed_error;  // per cent of the time at 64 B: a grain for which it may be more is refused
    bool record = false;                  // what GPUs send to others, as a profile for replay GPUs
    bool flow = false;                    // whole transfers in place of transactions (platform/applications/flow)
    bool uncalibrated = false;            // with `flow`: from parameters alone
    std::string calibration;              // with `flow`: file of weft calibrate; empty: the numbers of the program
    std::optional<double> credit_wait;  // with `flow`: in place of both (platform/applications/flow/flow_calibration.h)
    bool symmetry = true;               // with `flow`: one rank stands for all where that is exact
    bool strict = false;   // refuse a system that leaves something to assume (platform/configuration/assumption.h)
    bool progress = true;  // a line on stderr about every second, once two have passed
    std::optional<PartsFile> parts;  // that the user has written down: `partitions` of them
    std::uint32_t partitions = 1;    // parts that the run is cut into: the results are the same (partitioned.h)
    std::uint32_t threads = 1;       // that run them, at most one a part (of a process)
    ProcessGroup* group =
        nullptr;             // not null: over these processes, each of which calls run_system() with the same system
    bool backwards = false;  // the parts of a window run from the last to the first: a check that this does not matter
    std::optional<std::uint64_t> memory_limit;  // bytes in place of the machine's memory
    std::string lines;               // mixed: what is simulated line by line (platform/applications/flow/line_part.h)
    Surroundings* around = nullptr;  // not null: what stands in place of the rest
};

// One simulation per process. Throws InputError for what cannot be run. A SIGINT ends the run early with
// what there is so far. With a group of processes the result is that of all in process 0, and incomplete in others.
RunResult run_system(const ResolvedSystem& resolved, const ModelRegistry& registry, const RunOptions& options = {});

}  // namespace weft
