// The compute units of one GPU, as issuers of lines.
//
// Socket: memory (to the crossbar).
//
// A workgroup runs one Program (program.h) on one unit; it waits in a queue while no unit has a place and the
// registers for it. Its wavefronts go through the operations by themselves: a move starts when the
// move before it has its data and has issued its stores (with_previous: its loads). A wavefront instruction
// covers lanes x vector bytes of one operand and becomes one request for each line that it touches
// (`coalesce`: for each 128 bytes). A wavefront has registers for the launch's `unroll` instructions with all
// their operands, from the first load to the last store. A unit issues at most one request a cycle; it takes
// its wavefronts that can issue round robin, one instruction each, and has at most `outstanding` lines
// without an answer.
//
// A move's loads and stores at the address of a group are carried out by switches, line by line (program.h): they pass
// the L1 by, and what they change is seen there when it is invalidated next. The acknowledge of such a store comes when
// all members have theirs: fences and signals count it as a store to other GPUs.
//
// Loads of unit scope go through the unit's L1, all others past it; stores change what it has and go on. A wait that
// has ended, a fence of device or system scope and the start of a kernel invalidate it.
//
// A bulk copy takes one issue slot and no registers: the unit's bulk copy engine (dma_engines.h) does it, and neither
// fences nor signals wait for it, only bulk_wait and the end of the workgroup.
//
// A request (of a port channel) takes an issue slot behind its fence; what it asks for is done beside the workgroup.
//
// A fence waits for acknowledges (Scope: of none, of stores to the own GPU, of all), and one of system scope for
// `fence_latency` then. A signal is a fence and
// an addition to a flag, for whose acknowledge only the end of the workgroup waits. Waiting for a flag: spin =
// an 8-byte load of it, again `spin_interval` after each answer; backoff = the same with an interval that doubles up to
// `backoff_limit`; monitor = a load, then a request that the home slice answers when the flag changes, then a load again;
// waiting_atomic = one request that the home slice answers when the flag has the value. Waits for different flags that
// follow one another are one wait of up to `poll_lanes` lanes: a look is a line for every flag that is still missing, one a
// cycle, and is over when all are answered; the interval to the next begins there.
//
// Packets (base/packet_format.h): a program with a format moves in instructions that cover lanes x vector bytes of packets,
// whatever the operand, and meet between packets. A load of packets that comes back before all of its line are there
// is issued again `spin_interval` later, at the next free issue slot; meanwhile it is no line in flight. Stores of packets are
// stores; nothing but their flags says that they are there.
//
// Timing: the cycle time is 1 / clock with remainders carried. An answer that arrives while its unit is
// idle can issue in the same instant, after all answers of that instant. A barrier ends `barrier_latency` after
// the last wavefront has come. flops book the unit, at peak_flops / compute_units, one after another.
//
// Not modelled here: instruction fetch and arithmetic of address and reduction, which take no time.
//
// Statistics: lines issued, L1 hits and misses, polls, signals, fences, time of workgroups by cause.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "base/statistic.h"
#include "gpu/line_tag.h"
#include "gpu/bulk_copy_engine.h"
#include "gpu/gpu_spec.h"
#include "gpu/die_ports.h"
#include "gpu/operation_log.h"
#include "gpu/path_chooser.h"
#include "gpu/progress.h"
#include "gpu/wavefront.h"
#include "gpu/workgroup.h"
#include "sc_models/l1_cache.h"
#include "sc_models/memory_image.h"
#include "tlm_interconnect/protocol/protocol.h"
#include "tlm_interconnect/kernel/rate_server.h"

namespace weft {

class ComputeUnits final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineInitiator,
    public BulkListener,
    public StatisticsProvider {
public:
    ComputeUnits(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
        const L1Spec& l1, std::uint32_t endpoint, LinePool& pool, Progress& progress, bool data_on,
        SpreadMode spread = SpreadMode::lines, unsigned stripe_shift = 0, std::size_t destinations = 0);

    LineInitiatorSocket memory;

    // What carries out bulk copies; needed before a program has one.
    void set_bulk(BulkCopyEngine& bulk) { bulk_ = &bulk; }
    // Where packets arrive, which runs that cannot progress are told by; needed before a program has some.
    void set_packets(const MemoryImage& image) { image_ = &image; }
    // Before time starts: what makes the L1 of a unit that needs one.
    void set_l1(L1Factory make) { make_l1_ = std::move(make); }
    // Their ports on the on-die network. Before time starts.
    void set_ports(UnitPorts ports)
    {
        ports_ = std::move(ports);
        admits_ = ports_.admits();
    }
    UnitPorts& ports() { return ports_; }

    // Tells `log` what workgroups do that are launched with a number of it. Before time starts.
    void set_log(OperationLog& log);

    struct Launch {
        const Program* program = nullptr;  // stays alive until the workgroup is done
        std::uint32_t wavefronts = 1;      // 1 .. wavefronts_per_unit
        std::uint32_t unroll =
            1;  // 1 .. max_unroll instructions in flight for each, 1 .. 4 with moves of more than 256 sources
        std::uint32_t vector_bytes = 16;   // 1 .. 16 a lane
        std::uint32_t poll_lanes = 1;      // 1 .. max_poll_lanes waits in a row that are looked at together
        std::uint64_t* results = nullptr;  // of loads and fetches of words; stays alive too
        bool acquires = true;              // begins a kernel: the unit's L1 is invalidated
        WorkgroupListener* listener = nullptr;
        std::uint64_t token = 0;
        std::uint32_t log = 0;   // number in the OperationLog; 0: not logged
        std::uint32_t list = 0;  // that its requests are for, by DmaEngines::launch
    };
    static constexpr unsigned max_unroll = 16;
    static constexpr unsigned max_results = 4095;
    static constexpr unsigned max_poll_lanes = 32;
    // Starts the workgroup at the present instant or when a unit has room.
    void launch(const Launch& launch);

    // Time of workgroups by what their wavefront zero waits for, summed, ps.
    std::array<Time, stall_causes> stalls() const;
    std::uint64_t workgroups() const { return workgroups_; }  // ever placed on a unit
    std::uint64_t lines() const { return lines_; }            // issued, polls and signals included
    bool cannot_progress() const { return cannot_progress_; }

    struct Blocked {
        std::uint64_t token;
        std::uint32_t label;    // of the operation
        std::size_t operation;  // index in the program
        Operation::Kind kind;
        std::uint64_t flag;            // wait: its address
        std::uint64_t value;           // wait: wanted
        std::uint32_t in_flight;       // lines without an answer; without those that look for packets again and again
        std::uint64_t packets = 0;     // move: address of packets that are not there; 0: none
        std::uint32_t more_flags = 0;  // wait: that have not their values either
    };
    std::vector<Blocked> blocked() const;
    std::size_t queued() const { return queue_.size(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_response(unsigned port, Line& line, Time delay) override;

private:
    static constexpr std::uint32_t contexts = Wavefronts::contexts;

    struct Unit {
        RateServer issue;
        Time slot = 0;  // of the last request
        Time math_free = 0;
        std::uint64_t ready = 0;   // bit per context that can issue
        std::uint64_t free = 0;    // and per context without a wavefront
        std::uint64_t places = 0;  // bit per place with a workgroup
        std::uint32_t outstanding = 0;
        std::uint32_t resident = 0;
        std::uint32_t last = contexts - 1;  // round robin over its contexts
        bool touched = false;
        Time full_since = 0;  // at its limit of outstanding lines
        Time full = 0;        // until then
        ScheduledItem wake;
        RateServer l1_port;
        std::unique_ptr<L1Cache> l1;  // made when first used
        Wavefronts waves;
    };

    struct Queued {
        Launch launch;
        Time since;
    };

    static constexpr std::uint32_t chase_result = max_results;  // no result: the next address
    static constexpr std::uint8_t packets_kind = 5;             // a load of packets that looks again
    // Below: a line that arrives, by DieStage.
    static constexpr std::uint8_t unit_kind = 3;
    static constexpr std::uint8_t workgroup_kind = 4;
    static std::uint8_t line_kind(DieStage stage) { return static_cast<std::uint8_t>(stage); }

    void run(ScheduledItem& item) override;
    void prefetch(const ScheduledItem& item) const override;
    void arbitrate() override;

    // Workgroups: compute_units.cpp
    bool fits(const Unit& unit, const Launch& launch) const;
    void place(const Launch& launch, std::uint32_t unit, Time queued_since);
    void prepare_wave(const Workgroup& group, Wavefront& wave, const Launch& launch, Time queued_since);
    void end_wave(std::uint32_t unit, Wavefront& wave);
    void finish_if_done(std::uint32_t index);
    bool try_arrive(Line& line);
    void answered(Line& line);
    void loaded(std::uint32_t unit, std::uint32_t context, Line& line);
    void set_loaded(std::uint32_t unit, std::uint32_t context, unsigned place);
    void set_cause(const Unit& unit, Wavefront& wave, StallCause cause);

    // Moves: issue.cpp
    std::uint64_t begin_of(const Workgroup& group, const Operation& move, std::uint64_t instruction) const;
    std::uint64_t operand(const Workgroup& group, const Operation& move, unsigned number) const
    {
        return group.program->operands[move.first_operand + number];
    }
    static std::uint32_t transfer_of(const Workgroup& group, const Operation& move, unsigned number)
    {
        return unit_transfer(group.first_transfer + move.first_operand + number);
    }
    std::uint8_t* registers(const Workgroup& group, Wavefront& wave, unsigned set, unsigned source) const
    {
        return wave.data.data() + (std::size_t{set} * group.program->most_sources + source) * group.instruction_bytes;
    }
    bool has_instruction(const Workgroup& group, const Wavefront& wave) const;
    bool can_store(const Wavefront& wave) const;
    bool can_issue(const Workgroup& group, const Wavefront& wave) const;
    void update(std::uint32_t unit, std::uint32_t context);
    void advance(std::uint32_t unit, std::uint32_t context);
    void issue(std::uint32_t unit, std::uint32_t context);
    void issue_loads(std::uint32_t unit, std::uint32_t context);
    void issue_stores(std::uint32_t unit, std::uint32_t context);
    void store_apart(const LineIssue& issue, std::uint32_t unit, const Operation& move);
    void open_set(const Workgroup& group, Wavefront& wave);
    void operand_loaded(const Workgroup& group, Wavefront& wave, RegisterSet& set);
    void operand_stored(Wavefront& wave, const Operation& move);
    Time slot(Unit& unit, std::uint64_t address, bool first);
    void pass_on(const Workgroup& group, Wavefront& wave);
    bool full(const Unit& unit) const { return unit.outstanding >= spec_.outstanding; }
    void send(const LineIssue& issue, std::uint32_t unit, Time delay);
    StoreCount& stores_to(Workgroup& group, const Line& line)
    {
        return line.destination == endpoint_ ? group.near : group.far;
    }
    void serve_unit(std::uint32_t number);
    void touch(std::uint32_t unit);

    // Packets: packets.cpp
    bool in_packets(const Workgroup& group, const Operation& move, unsigned number) const
    {
        return group.format != PacketFormat::none && group.program->in_packets.size() > move.first_operand + number &&
            group.program->in_packets[move.first_operand + number];
    }
    void issue_packet_loads(std::uint32_t unit, std::uint32_t context);
    void issue_packet_stores(std::uint32_t unit, std::uint32_t context);
    void packets_answered(Line& line);
    void look_again(Line& line);
    std::uint64_t missing_packets(const Workgroup& group, const Wavefront& wave) const;
    bool only_lacks_packets(const Workgroup& group) const;
    void found_missing(Workgroup& group);

    // L1: cached.cpp
    bool cacheable(Scope scope, std::uint64_t address) const;
    L1Cache& cache_of(Unit& unit);
    void load_through(const LineIssue& issue, std::uint32_t unit, Time delay);
    void access_cache(Line& line, std::uint32_t unit, Time delay);
    void fetched(Line& fetch, std::uint32_t unit);
    void store_through(const Line& line, std::uint32_t unit);
    void acquire(std::uint32_t unit);

    // For the log: logging.cpp
    struct OpenRecord {
        bool open = false;
        OperationRecord record;
        std::array<Time, stall_causes> spent{};  // when it began
        Line* line = nullptr;                    // of its signal, on its way
        LatencyBreakdown signalled;              // the same, answered
    };
    std::array<Time, stall_causes> spent_by(const Unit& unit, const Wavefront& wave) const;
    void log_operation(std::uint32_t index, const Operation* operation);
    void log_end(std::uint32_t index);
    void follow(const LineIssue& issue, std::uint32_t unit, Time delay);
    void note_life(Line& line, std::uint32_t unit);
    void note_packets(const Line& line, std::uint32_t unit, std::uint32_t context);

    // Everything else: control.cpp
    void start_next(std::uint32_t unit, std::uint32_t context);
    bool start(std::uint32_t unit, std::uint32_t context);
    bool arrive(std::uint32_t unit, Wavefront& wave);
    void leave_barrier(Workgroup& group);
    void begin_fence(Workgroup& group, Scope scope);
    bool fence_done(const Workgroup& group) const;
    void end_fence_later(Workgroup& group);
    void fence_over(Workgroup& group);
    void store_answered(std::uint32_t index);
    void issue_word(std::uint32_t unit, std::uint32_t context);
    void issue_signal(Workgroup& group, std::uint64_t flag, Time delay);
    void begin_wait(Workgroup& group, const Wavefront& wave);
    // The present word of wavefront zero, or the `lane`-th behind it.
    struct Word {
        std::uint64_t address;
        std::uint64_t value;
        std::uint32_t label;
    };
    static Word word_at(const Workgroup& group, const Wavefront& wave, std::uint32_t lane = 0);
    static void skip_words(Workgroup& group, Wavefront& wave, std::uint32_t count);
    void look(Workgroup& group, Wavefront& wave);
    void issue_poll(Workgroup& group, Wavefront& wave);
    void word_answered(std::uint32_t unit, Line& line);
    void flag_answered(std::uint32_t index, std::uint32_t lane, LineOp op, std::uint64_t value);
    void workgroup_woke(std::uint32_t index);
    void on_bulk_done(std::uint32_t index) override;
    void go_on(Workgroup& group) { start_next(group.unit, group.zero); }

    GpuSpec spec_;
    L1Spec l1_spec_;
    L1Factory make_l1_;  // none: L1Cache
    std::uint32_t endpoint_;
    std::uint32_t places_;  // workgroups per unit
    LinePool& pool_;
    Progress& progress_;
    UnitPorts ports_;
    bool admits_ = false;  // answers may have to wait there
    bool data_on_;
    PathChooser paths_;
    BulkCopyEngine* bulk_ = nullptr;
    const MemoryImage* image_ = nullptr;
    bool cannot_progress_ = false;
    bool running_ = false;  // between the first item of an instant and its arbitrate()
    std::uint32_t next_unit_ = 0;
    std::uint64_t workgroups_ = 0;
    std::uint32_t transfers_ = 0;  // operands of all programs so far
    std::uint64_t lines_ = 0;
    std::uint64_t polls_ = 0;
    std::uint64_t signals_ = 0;
    std::uint64_t fences_ = 0;
    std::array<Time, stall_causes> spent_{};  // of workgroups that ended
    std::vector<Unit> units_;
    std::vector<Workgroup> groups_;  // [unit * places + place]
    std::vector<std::uint32_t> touched_;
    std::deque<Queued> queue_;
    OperationLog* log_ = nullptr;
    std::vector<OpenRecord> open_;  // by workgroup, with a log
};

}  // namespace weft
