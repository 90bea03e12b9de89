// Runs schedules on GPUs, line by line.
//
// A job's buffers and flags are allocated afresh when it is opened and given back when its last rank has left.
// With data on, inputs are written before time touches them and outputs are compared afterwards.
// A rank's threads are launched `gpu.launch_latency` after it enters, one workgroup each, or a command list of a copy
// engine, or both (lowering.h). `engine.protocol`, `engine.slices` and `engine.staging` decide on the schedule that does it
// (protocol_choice.h). A rank on a replay GPU launches nothing: it leaves when its profile is at its end.
#pragma once

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/engine/lines/contents.h"
#include "collectives/engine/lines/delegate.h"
#include "collectives/engine/device_memory.h"
#include "collectives/engine/engine_spec.h"
#include "collectives/engine/executor.h"
#include "collectives/engine/lines/group_registry.h"
#include "collectives/engine/lines/lowering.h"
#include "collectives/engine/protocol_choice.h"
#include "collectives/engine/lines/symmetric_memory.h"
#include "gpu/kernels/gemm_programs.h"
#include "gpu/gpu.h"
#include "gpu/replay/replay_gpu.h"

namespace weft {

class AbsentAccelerator;

class LineExecutor : public Executor, public TimedComponent, public WorkgroupListener {
public:
    // `endpoints[e]` is endpoint e. `seed` decides the contents of inputs.
    LineExecutor(EventQueue& event_queue, const std::vector<Accelerator*>& endpoints, Progress& progress,
        const EngineSpec& spec, bool data_on, std::uint64_t seed);
    ~LineExecutor() override;

    std::uint32_t endpoints() const override { return static_cast<std::uint32_t>(gpus_.size()); }
    Picoseconds now() const override { return told_ ? *told_ : here_->queue->now(); }
    JobId open(Job job) override;
    void enter(JobId id, std::uint32_t position, Done done) override;
    void access_memory(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done) override;
    void run_kernel(std::uint32_t endpoint, const KernelWork& work, Done done) override;
    void wait(std::uint32_t endpoint, Picoseconds duration, Done done) override;
    // A matrix product in buffers of its own; of an endpoint that computes.
    void run_gemm(std::uint32_t endpoint, const Gemm& gemm, Done done) override;
    // Everything but such products waits for flags that nothing will set any more.
    bool only_waits() const override;
    double peak_flops(std::uint32_t endpoint) const override;
    double memory_rate(std::uint32_t endpoint) const override;
    const GpuSpec& compute_units(std::uint32_t endpoint) const override;
    const std::vector<JobRecord>& records() const override { return records_; }

    // For a run in parts (platform/parallel/): says in which part each endpoint is. To be called before the first job is opened.
    // `in_turns`: for runs in which an action of a rank depends on earlier actions of other ranks. Each part then stops before every
    // action of the executor, and the conductor lets the executor act for one endpoint at a time.
    struct Site {
        EventQueue* queue;     // null: another process has the endpoint
        Progress* progress;    // the same
        std::uint32_t device;  // number of the endpoint's device (EventQueue::act_for)
    };
    void divide(const std::vector<Site>& sites, bool in_turns = false);
    // In turns: at one time, those of lower stages, then numbers, are taken first.
    struct TurnOf {
        unsigned stage;
        std::uint64_t number;
        std::uint32_t part;  // the same in all processes
        bool ends;           // what the part stands for ends with it
    };
    TurnOf turn_of(const ScheduledItem& item) const;
    // For a run in parts, to be called between windows: compares the results of jobs that all ranks have left, and frees their memory.
    void finish_ended();

    // For a run over processes, all of which have an executor that opens the same jobs. In turns each takes the turns of all, with the same
    // parts under the same numbers; here one at `at`, of an endpoint that another process has. Throws std::logic_error where this executor has
    // no such turn.
    void follow_turn(const TurnOf& turn, Picoseconds at);
    // Says whether what holds here holds in all processes, which all ask at the same place.
    void ask_all_by(std::function<bool(bool)> in_all) { in_all_ = std::move(in_all); }
    // Reads flags of all processes, by address; all ask at the same place. Only flags that a rank of another process waits for are read.
    using FlagValues = std::map<std::uint64_t, std::uint64_t>;
    void read_flags_by(std::function<FlagValues(const std::vector<std::uint64_t>&)> read)
    {
        read_flags_ = std::move(read);
    }
    // Before blocked() and blocked_at().
    void look_at_flags_elsewhere() const;
    // When nothing is busy, before the run is given up, in all processes alike: workgroups whose waiting atomics are being answered
    // count as busy again.
    void expect_responses();
    // Of a rank that this process has.
    std::uint64_t flag_here(std::uint64_t address) const;
    bool has_flag(std::uint64_t address) const { return !absent(endpoint_of(address)); }
    // Otherwise who left a job here is told to the others between windows.
    struct Leave {
        JobId job;
        std::uint32_t position;
        Picoseconds at;
    };
    bool anybody_left() const { return !leaves_.empty(); }
    std::vector<Leave> take_leaves() { return std::exchange(leaves_, {}); }
    // Applies the leaves of ranks that other processes simulate, sorted by time, then job, then rank.
    void tell_leaves(const std::vector<Leave>& leaves);

    // Endpoints that somebody else carries out, who tells their ends by ended(). After divide(), before the first job. Null: another process
    // has them.
    void set_delegate(Delegate* delegate, std::vector<bool> endpoints);
    // At the time of their part of the run. What follows comes behind all devices of the instant, in the order of the calls.
    void ended(Delegate::Token token);

    const EngineSpec& spec() const { return spec_; }
    // Creates the groups for steps that switches execute; without it such a job is refused. Outlives the executor.
    void set_groups(GroupRegistry& groups) { groups_ = &groups; }

    // Where byte `offset` of a buffer of an open job lies; nothing for a rank or an offset beyond it.
    std::optional<std::uint64_t> address(JobId id, std::uint32_t rank, Buffer buffer, std::uint64_t offset) const;

    // Where the flags of a rank of an open job lie, and how many.
    std::pair<std::uint64_t, std::uint32_t> flags(JobId id, std::uint32_t rank) const;

    // The blocked workgroups and their causes, one line each, for a run that cannot progress.
    std::vector<std::string> blocked() const;
    std::vector<std::string> blocked_at(std::uint32_t endpoint) const;  // those of one

    // Places of workgroups of an endpoint; zeroes where somebody else has them.
    PlaceUse places(std::uint32_t endpoint) const;

    // Runs `action` from within the simulation; false when it threw, which ends the run.
    bool guarded(const std::function<void()>& action);
    // Rethrows the exception that ended the run, if there was one. To be called after the run.
    void rethrow() const;

    // Logs the operations of workgroups of jobs with their times, as work(number). Before time starts.
    void set_log(OperationLog& log) { set_logs(log, std::vector<OperationLog*>(gpus_.size(), &log)); }
    // The same where endpoints have logs of their own; `numbers` gives numbers to workgroups.
    void set_logs(OperationLog& numbers, const std::vector<OperationLog*>& by_endpoint);
    struct Work {
        JobId job = 0;
        std::uint32_t rank = 0;
        std::uint32_t thread = 0;
        std::uint32_t endpoint = 0;
        Picoseconds entered = 0;  // when its rank entered
        bool list = false;        // of a copy engine, not a workgroup
    };
    const Work& work(std::uint32_t number) const { return works_[number - 1]; }

    // Called for every job whose last rank has left, before its memory is given back.
    std::function<void(JobId)> on_finished;

private:
    struct Part;  // one rank of a job, or a memory access
    struct Running;
    class Station;  // its turns in one part of a run
    struct Seat {
        EventQueue* queue;
        Progress* progress;
        TimedComponent* turns;
        std::uint32_t device;
        TimedComponent* ends = nullptr;  // in turns: where the ends of workgroups come
    };

    void run(ScheduledItem& item) override;
    void on_workgroup_done(std::uint64_t token) override;
    void end_one(Part& part);
    bool absent(std::uint32_t endpoint) const { return gpus_[endpoint] == nullptr && replays_[endpoint] == nullptr; }
    bool delegated(std::uint32_t endpoint) const { return !delegated_.empty() && delegated_[endpoint]; }
    bool has_delegate(std::uint32_t endpoint) const { return delegate_ != nullptr && delegated(endpoint); }
    const AbsentAccelerator& absent_one(std::uint32_t endpoint) const;
    bool replays(std::uint32_t endpoint) const;
    bool ends_at_once(const Part& part) const;
    bool only_waits_here() const;
    std::uint64_t flag_at(std::uint64_t address) const;
    void leave(Running& job, std::uint32_t position);
    void allocate(Running& job);
    void fill(Running& job);
    void finish(Running& job);
    Part& new_part(std::uint32_t endpoint);
    void schedule(Part& part, Time delay);
    void recycle(Part& part);
    void launch(Part& part);
    bool proxied(const Part& part) const;
    TransferSide side_of(const Part& part) const;
    std::uint32_t number_of_work(const Part& part, std::uint32_t thread, bool list);

    std::vector<Accelerator*> endpoints_;
    std::vector<Gpu*> gpus_;                          // the same; null: a replay GPU, or absent
    std::vector<ReplayGpu*> replays_;                 // the same; null: a GPU, or absent
    std::vector<std::unique_ptr<Station>> stations_;  // of parts but the first
    std::vector<Seat> seats_;                         // by endpoint
    bool divided_ = false;
    bool in_turns_ = false;
    const Seat* here_;                                           // of the endpoint that it acts for
    std::recursive_mutex turn_;                                  // parts may run in threads of their own
    std::vector<JobId> ended_;                                   // of a run that is cut
    std::vector<Leave> leaves_;                                  // of a run that is cut: since they were taken
    std::map<std::pair<JobId, std::uint32_t>, Done> elsewhere_;  // ranks that other processes have
    std::optional<Picoseconds> told_;                            // the time of what another process has told
    std::function<bool(bool)> in_all_;                           // null: one process
    std::function<FlagValues(const std::vector<std::uint64_t>&)> read_flags_;  // null: one process has them all
    mutable FlagValues flags_elsewhere_;
    std::uint64_t scheduled_ = 0;  // in turns: parts so far
    Delegate* delegate_ = nullptr;
    std::vector<bool> delegated_;  // by endpoint; empty: none
    std::uint64_t delegated_ends_ = 0;
    EngineSpec spec_;
    bool data_on_;
    std::uint64_t seed_;
    ProtocolChoice protocols_;
    std::vector<DeviceMemory> memories_;
    SymmetricMemory symmetric_{memories_};
    std::vector<DeviceMemory> flags_;
    GroupRegistry* groups_ = nullptr;
    std::map<JobId, std::unique_ptr<Running>> jobs_;
    std::vector<JobRecord> records_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::vector<std::uint32_t> free_parts_;
    std::exception_ptr failure_;
    OperationLog* log_ = nullptr;
    std::vector<Work> works_;
};

}  // namespace weft
