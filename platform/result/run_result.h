// The result of a run as plain data: times, statistics, verdict. Reports, pages and the JSON are made of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistic.h"
#include "base/time.h"
#include "collectives/synthesis/estimate_terms.h"
#include "platform/configuration/assumption.h"
#include "platform/configuration/explain.h"
#include "platform/energy/energy.h"
#include "platform/result/link_result.h"
#include "platform/result/run_estimate.h"
#include "rtl/modules/block_fault.h"

namespace weft {

// wrong: a module found something that must not be (a block that differs from its reference model, a line that came
// out changed).
enum class StopReason : std::uint8_t { finished, deadlock, until, interrupted, wrong };
const char* name_of(StopReason reason);

struct CollectiveResult {
    std::string op;
    std::string algorithm;
    std::string name;
    std::uint32_t ranks = 0;
    std::uint64_t bytes = 0;
    bool finished = false;
    Time start_ps = 0;
    Time end_ps = 0;
    double algbw_GBps = 0;
    double busbw_GBps = 0;
    std::string protocol = "simple";
    std::string element{};                         // fp32, ...
    std::string reduction{};                       // sum, ...; empty: the operation has none
    std::shared_ptr<const SchedulePrice> price{};  // null: not chosen by its price
    std::string group{};                           // of a trace: number of its process group, and
    std::string members{};                         // its ranks, "0-3 8"; else empty
};

struct RankResult {
    std::uint32_t rank = 0;
    std::string node;
    Time finish_ps = 0;
    // Mean over the rank's workgroups and lists of copy engines of the time they spent, by cause.
    std::vector<std::pair<std::string, Time>> stall_ps;
    // For a trace: the time of the rank by activity (collectives/engine/breakdown.h); adds up to simulated_ps.
    std::vector<std::pair<std::string, Time>> breakdown_ps{};
    std::optional<double> operations{};  // of a trace's compute nodes; nothing: not all state them, or it is no trace
    bool accesses_left_out = false;      // some of them take a time and move no transactions
};

struct ModuleResult {
    std::string name;
    std::string kind;
    std::string model;
    std::vector<Statistic> statistics;
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> by_slice;  // of caches: what waits did there
};

// The part of a memory that bounds a run (memory_bound.h).
struct MemoryBound {
    std::string parameter;  // "hbm.bandwidth"
    std::string gpu;        // the first of those that were as busy
    double share = 0;       // of the time that it was busy
    double GBps = 0;        // that it carried
    double most_GBps = 0;   // of the parameter
};

// The figures of the alpha-beta model for a single collective, from the same parameters.
struct AlphaBeta {
    std::uint32_t steps = 0;
    Time alpha_ps = 0;             // one step without payload
    std::uint64_t wire_bytes = 0;  // of the busiest link
    std::uint64_t rate = 0;        // its bandwidth, bytes/s
    Time time_ps = 0;
    std::string explanation;  // the parts of alpha
};

// Which algorithm was chosen for a collective, and what others would have taken by the same estimate.
struct ChoiceResult {
    struct Priced {
        std::string algorithm;
        Time time_ps = 0;
        std::string why;
        std::vector<EstimateTerm> terms{};  // of the first candidates; they add up to time_ps
    };
    struct PassedOver {
        std::string algorithm;
        Time time_ps = 0;  // its estimate
        std::string why;   // it cannot be used
    };
    std::string asked;           // "auto", "synthesize"
    std::vector<Priced> priced;  // the one chosen first
    std::vector<std::string> without_price;
    std::vector<PassedOver> passed_over{};  // cheaper by the estimate, but not to be used
};

// Statistics of the background kernels.
struct BackgroundResult {
    std::string kernel;          // as it was asked for
    std::uint64_t finished = 0;  // on all ranks together
    Time mean_ps = 0;            // of those that finished
    Time end_ps =
        0;  // of the last of them, mostly after the workload's: statistics and energies are counted until then
    double flops = 0;                  // FLOP/s of a rank while they ran, in the mean
    std::vector<double> operations{};  // of those that finished, by rank
};

// The chain of work that decided when a collective ended (collectives/engine/paths/critical_path.h).
struct PathResult {
    std::size_t collective = 0;                          // index in RunResult::collectives
    std::vector<std::pair<std::string, Time>> times_ps;  // by cause; they add up to the collective's
    struct Segment {
        std::uint32_t rank = 0;
        std::uint32_t thread = 0;
        std::uint32_t step = 0;
        std::string what;  // kind of the step, "signal to rank 3" for a signal on its way
        Time begin_ps = 0;
        Time end_ps = 0;
        std::vector<std::pair<std::string, Time>> times_ps;  // without those that are 0
    };
    std::vector<Segment> segments;
};

// What decided the end of a trace, and its operations (collectives/engine/paths/trace_path.h, operation_table.h).
struct TraceAnalysis {
    struct Segment {
        std::uint32_t rank = 0;
        std::uint64_t node = 0;
        std::string kind;  // "compute", "all_reduce", "receive", "idle", ...
        std::string name;  // of the node
        Time begin_ps = 0;
        Time end_ps = 0;
    };
    struct Operation {
        std::string what;
        std::uint64_t bytes = 0;
        std::uint32_t ranks = 0;  // 0: a node by itself
        std::uint64_t count = 0;
        std::optional<Time> total_ps;  // sums; none beyond 2^64 ps
        Time longest_ps = 0;
        std::optional<Time> waiting_ps;  // of members for the last one
        Time on_path_ps = 0;
    };
    std::vector<std::pair<std::string, Time>> path_ps;  // by kind of node, and idle; they add up to the trace's time
    std::vector<Segment> segments;
    std::vector<Operation> operations;  // the largest share of the path first
};

// Of a run over several processes.
struct ProcessesResult {
    std::uint32_t count = 1;
    double cpu_s = 0;                  // of all
    std::uint64_t peak_rss_bytes = 0;  // of the largest
};

// What it cost to cut a run.
struct CutCosts {
    std::uint64_t windows = 0;
    std::uint64_t records = 0;  // transactions and credits between parts
    double exchange_s =
        0;  // wall time of messages and agreements, waits for other processes included: the sum over processes
    double deliver_s = 0;  // wall time of handing over what has come: the same
};

struct RunResult {
    std::string fidelity = "line";
    std::uint64_t grain = 64;  // B of the widest transaction, at line fidelity
    std::uint32_t partitions = 1;
    StopReason stop = StopReason::finished;
    Time simulated_ps = 0;
    Time counted_ps =
        0;  // until when events are counted: later where kernels beside it or write-backs (a notice) go on
    double wall_s = 0;
    double elaborate_s = 0;
    std::optional<CutCosts> cut;  // of a run in parts
    std::uint64_t lines = 0;
    std::uint64_t line_hops = 0;
    std::uint64_t messages = 0;    // transfers between ranks, at flow fidelity
    std::string verified = "off";  // passed, failed, off
    std::string calibration;       // none, built in or file, at flow fidelity
    std::string symmetry;          // of a large collective at flow fidelity: on: how many ranks were run; off: why
    std::string verification;      // how, where it was not by data in memory
    std::vector<std::string> mismatches;
    std::uint64_t protocol_problems = 0;
    std::size_t checked_connections = 0;     // by protocol checkers
    std::vector<std::string> problems;       // stop == wrong: what modules found
    std::optional<BlockFault> fault;         // where the first of them was, if it was at a clocked block
    std::vector<std::string> fault_waves{};  // files with waveforms of what went before it
    std::uint64_t seed = 0;
    std::string system;
    std::size_t endpoints = 0;
    std::size_t nodes = 0;
    std::size_t links = 0;
    std::size_t switches = 0;
    std::vector<CollectiveResult> collectives;
    std::vector<RankResult> ranks;
    std::vector<LinkResult> link_results;
    bool links_left_out = false;  // some that carried something are not among them
    std::vector<ModuleResult> modules;
    std::optional<MemoryBound> memory_bound;  // none: links are busier, or nothing is
    std::vector<ExplainedParameter> parameters;
    std::vector<std::string> blocked;  // stop == deadlock: who waits for what
    std::size_t blocked_modules = 0;   // how many of these, the last ones, are lines of modules
    std::vector<std::string> notices;
    RunEstimate estimate;                 // made before anything was built
    std::vector<Assumption> assumptions;  // of the parts that take part
    std::optional<AlphaBeta> theory;
    std::optional<ChoiceResult> choice;
    // Models of plug-ins that alpha-beta and the estimates of algorithms know nothing of.
    std::vector<std::string> not_in_formula;
    std::vector<std::string> not_in_estimate;
    std::optional<BackgroundResult> beside;
    std::optional<EnergyResult> energy;
    std::optional<ProcessesResult> processes;  // none: there is one
    std::vector<PathResult> paths;             // if RunOptions::follow
    std::optional<TraceAnalysis> trace;        // of a trace, if RunOptions::follow
    std::string timeline;                      // a Chrome trace, if RunOptions::follow
    std::string series;                        // comma-separated, if RunOptions::window
    std::string record;                        // comma-separated, if RunOptions::record
    std::string plan;                          // MSCCL XML, if RunOptions::plan

    // The exit code: 0 finished, 1 wrong result, 3 deadlock, 130 interrupted.
    int exit_code() const;
};

}  // namespace weft
