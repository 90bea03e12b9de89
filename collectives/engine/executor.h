// The interface of executors, which carry out schedules on a simulated system.
//
// The collective driver and the trace engine know this interface only. LineExecutor runs schedules as
// 64-byte transactions on GPUs, FlowExecutor as whole transfers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/engine/engine_spec.h"
#include "collectives/schedule/schedule.h"

namespace weft {

struct Gemm;
struct GpuSpec;

using Picoseconds = std::uint64_t;

// The process group of a collective of a trace: its number, and its ranks as "0-3 8" (compact_ranks).
struct JobGroup {
    std::string number;
    std::string ranks;
};

// One collective or transfer to be executed once.
struct Job {
    std::shared_ptr<const Schedule> schedule;
    std::uint64_t bytes = 0;  // meaning as in collectives/schedule/layout.h
    ElementType type = ElementType::fp32;
    std::vector<std::uint32_t> members;       // endpoint of each rank of the schedule
    std::string name;                         // for reports
    bool reported = true;                     // appears among the collectives of the result
    std::optional<EngineSpec> engine;         // how it is carried out; absent: as the executor's own parameters say
    ReduceOp reduction = ReduceOp::sum;       // of a job without a schedule; else the schedule's
    std::shared_ptr<const JobGroup> group{};  // null: of no trace
};

// The work of a compute kernel on the units of one endpoint: `operations` and loads of `bytes`, shared out
// evenly, or nothing for `duration`.
struct KernelWork {
    std::uint64_t operations = 0;  // floating-point
    std::uint64_t bytes = 0;
    Picoseconds duration = 0;      // not 0: in place of the others
    std::uint64_t workgroups = 0;  // 0: two for each compute unit

    // A workgroup loads its part in blocks of so many bytes at most, and computes after each; at most so many blocks, which are larger
    // then.
    static constexpr std::uint64_t block_bytes = 16 << 10;
    static constexpr std::uint64_t most_blocks = 64;
    static constexpr std::uint64_t blocks_of(std::uint64_t part)
    {
        return std::clamp<std::uint64_t>(part / block_bytes + (part % block_bytes != 0 ? 1 : 0), 1, most_blocks);
    }
};

// The result of a job.
struct JobRecord {
    std::string name;
    CollectiveOp op = CollectiveOp::custom;
    std::string algorithm;
    std::string protocol;  // simple, ll, ll128
    std::uint32_t ranks = 0;
    std::uint64_t bytes = 0;
    ElementType type = ElementType::fp32;
    ReduceOp reduction = ReduceOp::sum;            // of an operation that has one
    std::shared_ptr<const SchedulePrice> price{};  // null: taken by its name
    std::shared_ptr<const JobGroup> group{};       // null: of no trace
    bool reported = true;
    bool finished = false;
    Picoseconds start = 0;          // first rank entered
    Picoseconds end = 0;            // last rank left
    bool checked = false;           // result compared in memory
    std::string mismatch;           // empty: the result was right
    std::uint64_t mismatch_at = 0;  // its chunk and rank: the least is the first
};

class Executor {
public:
    using JobId = std::size_t;
    using Done = std::function<void()>;

    virtual ~Executor() = default;

    virtual std::uint32_t endpoints() const = 0;
    virtual Picoseconds now() const = 0;

    // Throws InputError when the job cannot be executed on this system.
    virtual JobId open(Job job) = 0;
    // The same for steps in switches of any job, naming its algorithm: before its schedule is written, whose steps may grow with
    // the cube of its ranks. Does nothing where only open() can tell.
    virtual void require_switches(const std::string& algorithm) { (void)algorithm; }
    // The rank at `position` of the job enters it now; `done` is called when it leaves.
    virtual void enter(JobId job, std::uint32_t position, Done done) = 0;

    // Memory traffic of one endpoint: reads or writes `bytes` bytes of a fresh buffer in the memory of
    // `home`, itself or another.
    virtual void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write,
        Done done) = 0;
    // Workgroups that compute and load from the endpoint's own memory. They are launched at once: a kernel's
    // launch is taken to lie under the work before it.
    virtual void run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done) = 0;
    // A product of matrices (gpu/kernels/gemm.h), launched as a collective is.
    virtual void run_gemm(std::uint32_t endpoint, const Gemm& gemm, Done done) = 0;
    // Whether all that runs, kernels apart, waits for what will never come.
    virtual bool only_waits() const = 0;
    // Time in which nothing is moved, and behind which `endpoint` acts.
    virtual void wait(std::uint32_t endpoint, Picoseconds duration, Done done) = 0;

    // Rates for the roofline of a compute node.
    virtual double peak_flops(std::uint32_t endpoint) const = 0;
    virtual double memory_rate(std::uint32_t endpoint) const = 0;
    // Parameters of its units, for a compute node that states its product of matrices.
    virtual const GpuSpec& compute_units(std::uint32_t endpoint) const = 0;

    virtual const std::vector<JobRecord>& records() const = 0;
};

}  // namespace weft
