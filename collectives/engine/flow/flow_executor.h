// Carries out jobs at flow fidelity: the Executor that collectives, plans and traces run on, without SystemC.
//
// Kernels, and memory nodes on the own memory, run on the devices of the core, where they meet collectives. Without devices (beyond
// 64 ranks) they take turns at units and memory and meet no collective; so does what others access in a memory
// (docs/models/flow.md).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/line_size.h"
#include "collectives/engine/buffer_history.h"
#include "collectives/engine/executor.h"
#include "collectives/flow/flow_core.h"
#include "collectives/synthesis/cost_graph.h"
#include "gpu/interface/gpu_spec.h"

namespace weft {

// Memory and compute units of an endpoint, each of which serves one request after another.
struct FlowEndpoint {
    double peak_flops = 0;
    double memory_bytes_per_s = 0;
    Picoseconds memory_latency = 0;
    GpuSpec units{};
    std::uint64_t capacity = 0;
    std::uint64_t cache = 0;  // bytes of its L2
    double cache_bytes_per_s = 0;
    double into_unit_bytes_per_s = 0;  // of a compute unit, on the on-die network; 0: no limit
    double out_of_unit_bytes_per_s = 0;
    CostRank pace{};        // latencies of its caches, and what limits a thread of it
    double write_room = 0;  // bytes that its L2 has displaced and its memory has not written: as many as find a place
};

class FlowExecutor : public Executor {
public:
    // The schedule that is carried out for one that is asked for: packets, slices, FIFOs.
    using CarriedOut = std::function<std::shared_ptr<const Schedule>(std::shared_ptr<const Schedule>, const EngineSpec&,
        std::uint64_t bytes, std::uint32_t element_bytes)>;

    // Whether chunks of a message are so small that it matters which thread has which of its lines: beyond 16 lines unequal parts differ by
    // less than 7 %.
    static bool small(std::uint64_t bytes, std::uint64_t chunks) { return bytes < chunks * 16 * line_bytes; }

    FlowExecutor(FlowCore& core, const EngineSpec& spec, std::vector<FlowEndpoint> endpoints, CarriedOut carried_out);

    std::uint32_t endpoints() const override { return static_cast<std::uint32_t>(endpoints_.size()); }
    Picoseconds now() const override { return core_.now(); }
    JobId open(Job job) override;
    // The same of a program that has no schedule. `job.schedule` may be null.
    JobId open(Job job, std::shared_ptr<const FlowProgram> program);
    void enter(JobId job, std::uint32_t position, Done done) override;
    void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done) override;
    void run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done) override;
    void run_gemm(std::uint32_t endpoint, const Gemm& gemm, Done done) override;
    void require_switches(const std::string& algorithm) override { core_.require_switches(algorithm); }
    bool only_waits() const override { return core_.only_kernels(); }
    void wait(std::uint32_t, Picoseconds duration, Done done) override;
    double peak_flops(std::uint32_t endpoint) const override { return endpoints_[endpoint].peak_flops; }
    double memory_rate(std::uint32_t endpoint) const override { return endpoints_[endpoint].memory_bytes_per_s; }
    const GpuSpec& compute_units(std::uint32_t endpoint) const override { return endpoints_[endpoint].units; }
    const std::vector<JobRecord>& records() const override { return records_; }

    // Of jobs that are opened from now on only rank 0 is run, for all (rank_symmetry.h).
    void run_one_for_all() { one_for_all_ = true; }
    FlowCore& core() { return core_; }
    // With a border: what the core knows a job by, and a rank outside that enters or leaves it.
    FlowCore::JobId core_job(JobId job) const { return entered_[job].job; }
    void enter_outside(JobId job);
    void leave_outside(JobId job);

    // Jobs, kernels and accesses find in the caches what others before them have left there.
    void remember_buffers();

    // Threads that each thread of a schedule stands for.
    void set_threads_each(std::uint32_t each) { threads_each_ = each; }
    // The largest share of the data of a job so far that cannot go in whole lines (partial_lines.h).
    double in_partial_lines() const { return in_partial_lines_; }
    // The most moves of a thread, of a job so far, that wait for another rank each and carry more than registers hold at once
    // (chained_moves.h).
    std::uint32_t chained_rounds() const { return chained_rounds_; }
    // B of an instruction of some endpoint that does not move whole lines; 0: all do.
    std::uint64_t instruction_in_parts() const;
    // Throws InputError where a schedule cannot be carried out with these parameters.
    static void require_known(const EngineSpec& spec);

private:
    struct Carried {
        std::shared_ptr<const FlowProgram> program;
        std::shared_ptr<const Schedule> whole;  // with all threads
        std::uint32_t parts = 1;                // of a chunk
        // By the bytes of the message and of its elements; null: there are none.
        std::map<std::pair<std::uint64_t, std::size_t>, std::shared_ptr<const SharedLines>> shared_lines;
    };
    using Buffers = std::vector<std::pair<std::uint32_t, BufferHistory::Taken>>;  // and their endpoints

    JobId open(Job job, FlowJob flow);
    void copy_at_home(Job& job);  // the next one, if a rank sends to itself
    void enter_core(JobId job, std::uint32_t position, Done done);
    void enter_own(JobId id, std::uint32_t position, Done done);
    SharedLines::Buffers take_buffers(const Schedule& schedule, const Job& job);
    static std::shared_ptr<const SharedLines> shared_lines(Carried& carried, const Schedule& schedule, const Job& job,
        const SharedLines::Buffers& cached);
    void count_chained(const Schedule& schedule, const Job& job, const EngineSpec& engine);
    void set_mover(const EngineSpec& engine, const FlowProgram& program, FlowJob& flow) const;
    // Throw InputError of `user` where the memory has no room.
    void require_room(std::uint32_t endpoint, std::uint64_t bytes, const std::string& user, bool room = true) const;
    static void require_countable(std::uint64_t bytes, const std::string& user);
    BufferHistory::Taken take(std::uint32_t endpoint, std::uint64_t bytes, const std::string& user);
    void give_back(std::uint32_t endpoint, const BufferHistory::Taken& buffer);
    void run_shared(std::uint32_t endpoint, const KernelWork& work, Done done);
    void move_on_device(std::uint32_t endpoint, std::uint64_t bytes, bool write, const BufferHistory::Taken& buffer,
        Done done);
    // The least time that the workgroups of a memory node take for `bytes` of the own memory, which answers after `latency`.
    Picoseconds pace_of(std::uint32_t endpoint, std::uint64_t bytes, bool write, Picoseconds latency) const;
    void access_remote(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, bool cached,
        Done done);
    // How long the memory of an endpoint, or its cache, takes for `bytes`. What the cache lacks passes both.
    Picoseconds service_time(std::uint32_t endpoint, std::uint64_t bytes, bool cached) const;
    // When it has served `bytes` more, of which the first are there at `from`.
    Picoseconds serve(std::uint32_t endpoint, std::uint64_t bytes, bool cached, Picoseconds from);
    // Bytes of a memory node that displace what has to be written to memory: from the first number to the second.
    struct Displaces {
        std::uint64_t from = 0;
        std::uint64_t to = 0;
        std::uint64_t bytes() const { return to - from; }
    };
    Displaces displaces(std::uint32_t home, std::uint64_t bytes, bool write, bool cached);
    // serve() of a memory node, and of what it displaces.
    Picoseconds serve_node(std::uint32_t home, std::uint64_t bytes, bool write, bool cached, Picoseconds from);
    // When all that makes room at its L2 from `from` on has a place on its way to memory.
    Picoseconds displace(std::uint32_t home, std::uint64_t bytes, Picoseconds from);

    FlowCore& core_;
    EngineSpec spec_;
    std::vector<FlowEndpoint> endpoints_;
    CarriedOut carried_out_;
    std::uint32_t threads_each_ = 1;
    double in_partial_lines_ = 0;
    std::uint32_t chained_rounds_ = 0;
    bool one_for_all_ = false;
    std::vector<Picoseconds> memory_free_;
    std::vector<std::uint64_t> dirty_;  // bytes that large memory nodes have stored, in the L2 of an endpoint
    std::vector<Picoseconds> units_free_;
    std::vector<DeviceMemory> memories_;  // of matrices
    std::vector<JobRecord> records_;
    std::vector<BufferHistory> buffers_;  // by endpoint; empty: nothing is remembered
    std::vector<Buffers> held_;           // by job
    struct Entered {
        FlowCore::JobId job = 0;
        std::uint32_t entered = 0;
        std::uint32_t left = 0;
    };
    std::vector<Entered> entered_;  // by job
    // A transfer of a rank to itself: a copy by the side that sends, for which the other side waits.
    struct Own {
        std::uint32_t endpoint = 0;
        bool there = false;
        unsigned left = 0;
        Done receiver;
    };
    std::map<JobId, Own> own_;
    std::map<std::size_t, std::shared_ptr<const Schedule>> copies_;  // of them, by threads
    std::map<std::pair<std::shared_ptr<const Schedule>, bool>, Carried> programs_;
};

}  // namespace weft
