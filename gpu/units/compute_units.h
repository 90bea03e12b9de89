// The compute units of one GPU: workgroups that run programs, and the requests that they issue.
//
// Socket: memory (to the crossbar).
//
// This module owns the units and the workgroups, places workgroups on units in the order of their launches, and gives the
// wavefronts of a unit their turns. The work is done by parts with one job each:
//
//   ComputeUnit    one unit: issue slot, wavefronts, limit of requests in flight, L1
//   ProgramFlow    the operations of a wavefront in order: barriers, computing, bulk copies
//   MoveIssue      loads and stores of moves;  PacketMoves  those of operands in packets
//   FlagPolls      waits for flags;  Fences  what they wait for;  WordAccess  words, chases, signals
//   CachedAccess   loads and stores through the L1
//   UnitNetwork    requests leave for the on-die network, responses come in
//   UnitScheduler  what is due on the event queue, and the units that can issue
//   WorkgroupLog   records for an OperationLog
//
// A workgroup runs one Program (program.h) on one unit; it waits in a queue while no unit has room and the registers for it. A
// wavefront has registers for the launch's `unroll` instructions with all their operands, from the first load to the last
// store. A unit issues at most one request a cycle and has at most `outstanding` requests without a response.
//
// Timing: that of the parts. A response that arrives while its unit is idle can issue in the same instant, after all
// responses of that instant. Instruction fetch and the arithmetic of addresses and reductions take no time.
//
// Statistics: requests issued, L1 hits and misses, polls, signals, fences, time of workgroups by cause.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "base/held_places.h"
#include "base/statistic.h"
#include "gpu/units/bulk_copy_engine.h"
#include "gpu/units/cached_access.h"
#include "gpu/units/compute_unit.h"
#include "gpu/units/fences.h"
#include "gpu/units/flag_polls.h"
#include "gpu/units/move_issue.h"
#include "gpu/units/operation_log.h"
#include "gpu/units/packet_moves.h"
#include "gpu/units/program_flow.h"
#include "gpu/units/progress.h"
#include "gpu/units/unit_network.h"
#include "gpu/units/unit_scheduler.h"
#include "gpu/units/word_access.h"
#include "gpu/units/workgroup.h"
#include "gpu/units/workgroup_log.h"
#include "tlm_interconnect/protocol/protocol.h"

namespace weft {

class ComputeUnits final :
    public sc_core::sc_module,
    public TimedComponent,
    public LineInitiator,
    public BulkListener,
    public StatisticsProvider,
    private WorkgroupOwner {
public:
    ComputeUnits(sc_core::sc_module_name name, EventQueue& event_queue, std::string path, const GpuSpec& spec,
        const L1Spec& l1, std::uint32_t endpoint, LinePool& pool, Progress& progress, bool data_on,
        PathSelection spread = PathSelection::lines, unsigned stripe_shift = 0, std::size_t destinations = 0,
        std::uint32_t grain = line_bytes);

    LineInitiatorSocket memory;

    // What carries out bulk copies; needed before a program has one.
    void set_bulk(BulkCopyEngine& bulk)
    {
        bulk_ = &bulk;
        flow_.set_bulk(bulk);
    }
    // Where packets arrive, which runs that cannot progress are told by; needed before a program has some.
    void set_packets(const MemoryImage& image) { packets_.set_image(image); }
    // Before time starts: what makes the L1 of a unit that needs one.
    void set_l1(L1Factory make) { cache_.set_l1(std::move(make)); }
    // Their ports on the on-die network. Before time starts.
    void set_ports(UnitPorts ports) { network_.set_ports(std::move(ports)); }
    UnitPorts& ports() { return network_.ports(); }

    // Tells `log` what workgroups do that are launched with a number of it. Before time starts.
    void set_log(OperationLog& log) { log_.set(log, groups_.size()); }

    struct Launch {
        const Program* program = nullptr;  // stays alive until the workgroup is done
        std::uint32_t wavefronts = 1;      // 1 .. wavefronts_per_unit
        std::uint32_t unroll =
            1;  // 1 .. max_unroll instructions in flight for each, 1 .. 4 with moves of more than 256 sources
        std::uint32_t vector_bytes = 16;   // 1 .. 16 for each thread
        std::uint32_t poll_lanes = 1;      // 1 .. max_poll_lanes waits in a row that are polled together
        std::uint64_t* results = nullptr;  // of loads and fetches of words; stays alive too
        bool acquires = true;              // begins a kernel: the unit's L1 is invalidated
        WorkgroupListener* listener = nullptr;
        std::uint64_t token = 0;
        std::uint32_t log = 0;                   // number in the OperationLog; 0: not logged
        std::uint32_t list = 0;                  // that its requests are for, by DmaEngines::launch
        bool background = false;                 // beside the workload: neither in stalls() nor in workgroups()
        TransferSide side = TransferSide::none;  // for places()
    };
    static constexpr unsigned max_unroll = 16;
    static constexpr unsigned max_results = WordAccess::max_results;
    static constexpr unsigned max_poll_lanes = FlagWait::most_flags;
    // Starts the workgroup at the present instant or when a unit has room.
    void launch(const Launch& launch);

    // The run ends at `end`, with workgroups that are not done: what they wait for counts up to then.
    void cut_off(Time end);

    // Time of workgroups of the workload by what their wavefront zero waits for, summed, ps.
    StallTimes stalls() const { return stalls(false); }
    // Workgroups of the workload that were placed on a unit, and those in the queue when the run was cut off.
    std::uint64_t workgroups() const { return workgroups_; }
    std::uint64_t lines() const { return network_.requests(); }  // issued, polls and signals included
    bool cannot_progress() const { return polls_.cannot_progress() || packets_.cannot_progress(); }

    struct Blocked {
        std::uint64_t token;
        std::uint32_t label;    // of the operation
        std::size_t operation;  // index in the program
        Operation::Kind kind;
        std::uint64_t flag;         // wait: its address
        std::uint64_t value;        // wait: wanted
        std::uint32_t in_flight;    // requests without a response; without those that poll for packets again and again
        std::uint64_t packets = 0;  // move: address of packets that are not there; 0: none
        std::uint32_t more_flags = 0;  // wait: that have not their values either
        bool no_place = false;         // its unit has as many requests without a response as it may
    };
    std::vector<Blocked> blocked() const;
    // The flags that waiting atomics lack, and FlagPolls::expect_responses() for all of them.
    std::vector<std::uint64_t> awaited_flags() const;
    void expect_responses(const std::function<std::uint64_t(std::uint64_t)>& flag_at);
    std::size_t queued() const { return queue_.size(); }
    // Without units and places; what waits when the run is cut off counts up to then.
    const PlaceUse& places() const { return held_.use(); }

    std::vector<Statistic> statistics() const override;
    void reset_statistics() override;

    // What comes in by the sockets.
    Time on_response(unsigned port, Line& line, Time delay) override;

private:
    struct Queued {
        Launch launch;
        Time since;
        HeldPlaces::Ps waited;
    };

    void run(ScheduledItem& item) override;
    void prefetch(const ScheduledItem& item) const override;
    void arbitrate() override;
    void on_bulk_done(std::uint32_t workgroup) override { flow_.bulk_done(groups_[workgroup]); }
    WorkgroupLog& log() override { return log_; }

    void place(const Launch& launch, ComputeUnit& unit, Time queued_since);
    void start_wavefronts(Workgroup& group, const Launch& launch, Time queued_since);
    void finish_if_done(Workgroup& group) override;
    void serve(ComputeUnit& unit);
    void respond(Line& line);
    StallTimes stalls(bool background) const;
    bool awaits(const Workgroup& group) const
    {
        return !polls_.spins() && group.active && group.spinning && group.zero->at(Operation::Kind::wait);
    }
    Blocked blocked(const Workgroup& group) const;

    GpuSpec spec_;
    bool data_on_;
    Progress& progress_;
    UnitScheduler scheduler_;
    WorkgroupLog log_;
    UnitNetwork network_;
    CachedAccess cache_;
    PacketMoves packets_;
    MoveIssue moves_;
    Fences fences_;
    FlagPolls polls_;
    WordAccess words_;
    ProgramFlow flow_;
    BulkCopyEngine* bulk_ = nullptr;
    std::uint32_t next_unit_ = 0;
    std::uint32_t transfers_ = 0;  // operands of all programs so far
    std::uint64_t workgroups_ = 0;
    // Sums over workgroups that have ended: those of the workload, and those of the background.
    std::array<StallTimes, 2> spent_{};
    std::vector<ComputeUnit> units_;
    std::vector<Workgroup> groups_;  // [unit * places + place]
    std::deque<Queued> queue_;
    HeldPlaces held_;
};

}  // namespace weft
