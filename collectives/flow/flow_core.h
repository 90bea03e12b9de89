// The event loop of flow fidelity: collectives as whole transfers on links, many at once, each entered at its time, without
// SystemC. Rules and limits: docs/models/flow.md. With the default FlowProfile those of one collective are the
// rules of estimate.h, and a test holds the two to the same picosecond.
//
// A message costs one event for every link where it can meet others, and two more for the threads at its ends, whatever the
// number of ranks. Equal events come in the order in which they were caused, so results do not depend on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/flow/devices/flow_devices.h"
#include "collectives/flow/devices/flow_held.h"
#include "collectives/flow/event_wheel.h"
#include "collectives/flow/flow_border.h"
#include "collectives/flow/flow_log.h"
#include "collectives/flow/flow_places.h"
#include "collectives/flow/flow_setup.h"
#include "collectives/flow/flow_thread.h"
#include "collectives/flow/flow_ties.h"
#include "collectives/flow/flow_together.h"
#include "collectives/flow/flow_transfer.h"
#include "collectives/flow/links/flow_buffers.h"
#include "collectives/flow/links/first_link_room.h"
#include "collectives/flow/links/flow_links.h"
#include "collectives/flow/links/input_turns.h"
#include "collectives/flow/links/path_book.h"
#include "collectives/flow/programs/first_peers.h"
#include "collectives/flow/slot_pool.h"
#include "collectives/synthesis/packet_steps.h"
#include "collectives/synthesis/switch_routes.h"
#include "collectives/synthesis/thread_pace.h"

namespace weft {

class FlowCore {
public:
    using Ps = std::uint64_t;
    using JobId = std::uint32_t;
    using Done = std::function<void()>;

    FlowCore(FlowRanks ranks, PathBook& book, FlowProfile profile = {});
    ~FlowCore();
    FlowCore(const FlowCore&) = delete;
    FlowCore& operator=(const FlowCore&) = delete;

    Ps now() const { return now_; }
    const FlowRanks& ranks() const { return ranks_; }

    JobId open(FlowJob what);
    // The rank at `position` enters now; its threads begin `launch_ps` later. `done` is called when all that it stored is
    // acknowledged.
    void enter(JobId id, std::uint32_t position, Done done);
    void after(Ps delay, Done done);
    // Routes to switches that combine and copy, asked for by the first program that needs them. Null: there are none.
    using Switches = std::function<SwitchRoutes*()>;
    void set_switches(Switches find);
    // Throws InputError, naming `algorithm`, where there are none, and what `find` refuses.
    void require_switches(const std::string& algorithm);
    // Signals come to the last link of their path at once, with one event in place of one for every link. They wait at no
    // link, so this changes the order of what happens in one instant only.
    void shorten_signals() { short_signals_ = true; }
    // `bytes` that an endpoint stores at `home`; `done` at the acknowledge. Or what it loads from there, whose first line `home` has
    // read now; `done` when all is there. One line takes the latencies of the path.
    void transfer(std::uint32_t endpoint, std::uint32_t home, std::uint64_t bytes, bool write, Done done);
    // Latencies of one line on idle links: from the endpoint to the cache of `home`, and of the answer.
    using Way = FlowWay;
    Way way(std::uint32_t endpoint, std::uint32_t home);

    // Carries out what is due up to `end`, until nothing is left or `stop` says so; `stop` is asked every 65536 events.
    void run(Ps end = ~Ps{0}, const std::function<bool()>& stop = {});
    bool idle() const { return wheel_.empty(); }

    // Which rank waits for what in jobs that all ranks have entered; of each job the circular wait first, ranks that wait alike
    // in one line (stall_lines.h).
    std::vector<std::string> blocked() const;

    // Transfers between ranks that have arrived, signals not counted.
    std::uint64_t messages() const { return messages_; }
    std::uint64_t events() const { return events_; }
    // With one rank for all: how often the order of two transfers that came to a link in the same instant may have decided.
    std::uint64_t ties() const { return ties_.count(); }
    // Times at which all that was left waited for room in a circle of full buffers, and one part was let through.
    std::uint64_t circles() const { return buffers_.circles(); }
    double through_ranks() const { return links_.through_ranks(); }
    double most_shared_ps() const { return links_.most_shared_ps(); }

    // Units, caches and memories that kernels and collectives share (flow_devices.h), by kind of rank. Before the first job.
    void set_devices(std::vector<DeviceCost> kinds);
    bool has_devices() const { return devices_ != nullptr; }
    // Needs devices. Its workgroups are launched after `launch`.
    void run_kernel(std::uint32_t endpoint, std::shared_ptr<const FlowKernel> kernel, Ps launch, Done done);
    // Nothing is left to happen but in kernels.
    bool only_kernels() const { return devices_ != nullptr && wheel_.size() == devices_->pending(); }

    // Ranks that somebody else carries out (flow_border.h, flow_outside.cpp): `outside` by endpoint. Before the first job.
    void set_border(FlowBorder& border, std::vector<bool> outside);
    // Keeps a log of its threads (flow_log.h), which must outlive it; null: none. Before the first job.
    void set_log(FlowLog* log) { log_ = log; }
    // Links count what they have carried by `end`; of a transfer that is under way then, its part.
    void set_end(Ps end) { links_.set_end(end); }
    // The most workgroups of a rank under way at once, where they are more than it has places for and nothing waits for one.
    const FlowCrowd& crowd() const { return crowd_; }
    // Places of workgroups of an endpoint; without units and places where nothing waits for one. What waits counts up to cut_off().
    PlaceUse places(std::uint32_t endpoint) const;
    void cut_off(Ps end) { held_.cut_off(end); }
    void set_series(LinkSeries& series) { links_.set_series(series); }  // of what links carry
    const FlowTogether& together() const { return together_; }          // what ranks have had under way at one time
    // When the next event is due; ~0: there is none.
    Ps next_time() { return wheel_.empty() ? ~Ps{0} : wheel_.front().time; }
    // Calls from here on are at `now`. No event may be due before it.
    void set_time(Ps now) { now_ = now; }
    bool has_border() const { return border_ != nullptr; }
    // A rank outside has entered or left.
    void enter_outside(JobId id);
    void leave_outside(JobId id);
    using Line = FlowLine;
    void carry(const Line& line, Ps from);
    // The answer of what was carried on `request`: data, or an acknowledge.
    void answer(const Line& line, std::uint32_t request, bool data, Ps from);
    // A signal has come to `rank` of the job.
    void arrive_outside(JobId id, std::uint32_t rank, std::uint32_t semaphore, Ps time);
    // The last line of a share, of `bytes`, is acknowledged at the border: the acknowledge goes back by `back`.
    void stored(std::uint32_t ticket, std::uint32_t back, std::uint32_t sender, std::uint32_t bytes);
    void signalled(std::uint32_t ticket);
    // A load is answered by so many lines; each of them has come to the border and goes on by `back`.
    void loads(std::uint32_t ticket, std::uint32_t lines);
    void bring(std::uint32_t ticket, std::uint32_t back, std::uint32_t sender, std::uint32_t bytes);
    // A step of a rank outside, and one of its sources (destinations) at other ranks: whether what it loads there comes from memory, and
    // whether parts of lines that it stores wait for memory.
    struct OutsideOperand {
        std::uint32_t rank = 0;
        std::uint32_t thread = 0;  // of the rank
        std::uint32_t step = 0;
        std::uint32_t operand = 0;
    };
    bool reads_first(JobId id, const OutsideOperand& of) const;
    bool fetches_first(JobId id, const OutsideOperand& of) const;
    // Such bytes come to `owner`: whether no other rank has read all that it has.
    bool reads_memory_outside(JobId id, std::uint32_t owner, double bytes);
    // A line is read at `owner`, in its memory or its cache: how much later than from an idle cache it is there.
    Ps serve_outside(std::uint32_t owner, bool memory, Ps at);

private:
    enum class Kind : std::uint32_t {
        resume,
        hop,
        loaded,
        launch,
        leave,
        timer,
        wire,
        piece,
        ask,
        enter,
        issue,
        issue_more,
        device,
        come,
        turn
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct Job;
    using Thread = FlowThread<Job>;
    using Transfer = FlowTransfer;
    using Use = FlowTransfer::Use;
    struct Engine;
    struct Engines;
    struct CopyIssue;
    struct Parts;
    struct LoneStore;
    struct Move;
    class InSwitches;
    class Windows;
    struct Outside;
    struct Batch;
    struct Leaving;
    // Brings what events that are due soon will need into the host's caches.
    void prefetch();
    void prefetch_links(const EventWheel<13, 16>::Event& event, unsigned turn) const;
    bool place_thread(const Job& job, std::uint32_t position, std::uint32_t index);
    bool by_rank(const Job& job) const;
    bool place_next(Batch& batch);
    void launch(std::uint32_t number);
    void leave(std::uint32_t number);
    void end_thread(std::uint32_t index);
    void close(JobId id);

    // Threads.
    void push(Ps time, Kind kind, std::uint32_t index) { wheel_.push(time, static_cast<std::uint32_t>(kind), index); }
    void resume(std::uint32_t thread, Ps time) { push(time, Kind::resume, thread); }
    void run_thread(std::uint32_t index);
    bool settle(std::uint32_t index);
    static void fence(Thread& thread);
    bool has_loaded(std::uint32_t index);
    void unblock(std::uint32_t index);
    void begin_waits(std::uint32_t index, std::uint32_t waits);
    void look(std::uint32_t index, std::uint32_t flags, bool begins);
    void look_at_dependencies(std::uint32_t index);
    bool dependencies_met(std::uint32_t index);
    bool publish(std::uint32_t index, std::uint32_t number);
    std::uint32_t dependency_of(Job& job, std::uint32_t rank, StepId id);
    void signal(std::uint32_t index, const FlowOp& op);
    void arrive(Job& job, std::uint32_t number, Ps time, Ps known, std::uint32_t sent = 0);
    bool signals_at_once(std::uint32_t index);
    std::uint32_t semaphore_of(Thread& thread, const FlowOp& op)
    {
        const bool known = thread.wait_for == op.peer && thread.wait_number == op.semaphore;
        return known ? thread.wait_semaphore : find_semaphore(thread, op);
    }
    std::uint32_t find_semaphore(Thread& thread, const FlowOp& op);
    void find_signal(Thread& thread, const FlowOp& op);
    void send_signal(std::uint32_t index);
    void sleep(std::uint32_t index);
    bool wait(std::uint32_t index, const FlowOp& op);
    bool meet(std::uint32_t index, const FlowOp& op);
    void finish_blocked(std::uint32_t index);

    // Moves.
    bool packets_have_come(std::uint32_t index, const FlowOp& op);
    bool may_move(std::uint32_t index, const FlowOp& op);
    bool finds_registers(std::uint32_t index, const FlowOp& op);
    MoveLoad load_of(const Thread& thread, const FlowOp& op);
    std::uint32_t number_in_rank(const Thread& thread) const;
    bool finds_lines(const Thread& thread, const FlowOp& op, std::uint32_t at) const;
    enum class OwnData { cached, in_memory, under_way };
    OwnData own_data(const Thread& thread, const FlowOp& op) const;
    Ps own_load_ps(const Thread& thread, const FlowOp& op);
    static bool reads_memory(Job& job, std::uint32_t owner, double bytes);
    bool is_cold(const Thread& thread, const FlowOp& op, const FlowOperand& source) const;
    std::uint32_t threads_at_once(const Thread& thread) const;
    ThreadPace pace_of(const Thread& thread) const;
    bool is_lone(const Thread& thread) const;
    void move(std::uint32_t index, const FlowOp& op);
    void move_anew(std::uint32_t index, const FlowOp& op);
    static void join_load(Thread& thread);
    void move_own(std::uint32_t index, const FlowOp& op);
    double held_ps(const Thread& thread, const FlowOp& op, const MoveLoad& load);
    static CopyIssue issue_copy(Engine& engine, const CopyCost& by, double stored, double held, Ps first);
    static bool is_copy(const Thread& thread, const FlowOp& op);
    bool may_copy(std::uint32_t index, const FlowOp& op);
    double copied_bytes(const Thread& thread, const MoveLoad& load) const;
    void copy(std::uint32_t index, const FlowOp& op);
    Engines& engines_of(const Thread& thread);
    Engine& engine_of(std::uint32_t index);
    bool finds_engine(std::uint32_t index);
    void take_engine(std::uint32_t index, bool in_turn);
    void leave_engine(std::uint32_t index);
    bool in_order(const Thread& thread) const;
    static void in_messages(FlowFlight& flight, const Thread& thread, double part);
    double bytes_of(const Thread& thread, const FlowOp& op) const;
    double held_bytes(const Thread& thread, const FlowOp& op) const;
    FlowJob::StepBytes step_bytes(const Thread& thread, const FlowOp& op) const;
    void find_lone_store(Thread& thread, const FlowOp& op);
    void store_alone(Thread& thread, const FlowOp& op);
    PacketSteps::Found packets_found(std::uint32_t index, const FlowOp& op, bool new_run);
    void move_packets(std::uint32_t index, const FlowOp& op, const MoveLoad& load, const ThreadPace& pace, Ps spread);
    void ask(const Move& move, Ps now);
    std::uint32_t ask_rest(std::uint32_t index, Ps now);
    MovePieces pieces_of(const FlowOp& op, const MoveLoad& load, const ThreadPace& pace) const;
    void store(const Move& move, Ps from, Ps ready);
    std::uint32_t fetch_ps(const Move& move, std::uint32_t difference) const;
    // Requests of loads that take the wire (flow_requests.cpp).
    bool asks_by_wire(std::uint32_t path, std::uint32_t back);
    std::uint32_t send_requests(const Transfer& answer, std::uint32_t path, Ps from, Ps span, std::uint32_t parts);
    void answer_request(const Transfer& asked);
    void loaded(std::uint32_t number);
    void retire(std::uint32_t number);
    std::uint32_t parts_of(double bytes, Ps span) const;
    std::uint32_t parts_of(const Move& move, double bytes, Ps span) const;
    std::uint32_t parts_of_store(const Move& move, const FlowFlight& flight, Ps span) const;
    std::uint32_t launch_parts(const Transfer& transfer, Ps span, std::uint32_t parts, Ps late = 0,
        bool gives_way = false);
    bool launch_transfer(const Transfer& transfer);
    void begin_transfer(const Transfer& transfer, double bytes, double messages, Ps head, Ps earliest);
    Ps round_trip(std::uint32_t from, std::uint32_t to);
    static std::uint32_t endpoint_at(const Thread& thread, std::uint32_t difference);
    void hop(std::uint32_t number);
    void pass_stage(std::uint32_t number, Ps waited_ps);
    // Turns at links (flow_turns.cpp).
    Ps held_behind(const Transfer& transfer);
    bool waits_its_turn(std::uint32_t number);
    bool fills_first_link(const Transfer& transfer);
    void give_room_back(Transfer& transfer);
    bool starts_later(std::uint32_t number, const FlowStage& stage);
    bool waits_in_parts(std::uint32_t number, const FlowStage& stage);
    void queue(std::uint32_t number, const GroupShare& part);
    void begin_parts(std::uint32_t number);
    void end_part(std::uint32_t number);
    void pass_or_queue(std::uint32_t number, const GroupShare& of);
    void pass_part(std::uint32_t number, const GroupShare& part);
    void take_turn(std::uint32_t group);
    void pass_in_turn(std::uint32_t number, const GroupShare& part);
    void note_tie(std::uint32_t thread, std::uint32_t stage, bool first);
    void after_buffers();
    void arrived(std::uint32_t number);
    void acknowledge(const Transfer& of, Ps tail);
    // Time that a thread loses in units, caches and memories because others use them, too (flow_contention.cpp).
    bool shares_units(const Thread& thread, bool moving = true) const;
    void give_way(const Transfer& last, Ps until);
    Ps turn_at_launch(std::uint32_t index) const;
    Ps last_line_late(const Thread& thread, const FlowOp& op) const;
    bool finds_place(std::uint32_t index);
    static TransferSide side_of(const Thread& thread);
    void note_place(std::uint32_t index, bool found);
    void count_crowd(const Job& job, std::uint32_t position, bool enters);
    void leave_place(std::uint32_t index, Ps end);
    void launch_thread(std::uint32_t index, Ps since);
    void leave_unit(std::uint32_t index, Ps end);
    Ps share_load(std::uint32_t index, const FlowOp& op, MoveLoad& load);
    void share_store(const Move& move, const FlowOp& op, Ps& from, Ps& ready);
    Ps read_by(const Move& move, const FlowOp& op, Ps from);
    bool comes_later(std::uint32_t number);
    Ps late_arrival(const Transfer& transfer);
    void let_go(const Transfer& transfer, Ps end);
    Ps longer_poll(std::uint32_t index) const
    {
        return devices_ ? devices_->poll(index, threads_[index].endpoint, now_) : 0;
    }
    void pack_own(const Move& move, Ps from, Ps ready);
    // The number of what an operand stores in packets; and each store that it reads, with the time of the first and the last packet of it.
    static std::uint32_t share_of(Job& job, std::uint32_t rank, const FlowOperand& operand, const FlowOp& op);
    static void find_empty_stores(Job& job);
    template <class Take>
    static void each_share_read(Job& job, std::uint32_t rank, const FlowOperand& operand, const FlowOp& op, Take take);
    // Ranks that somebody else carries out (flow_outside.cpp).
    bool is_outside(std::uint32_t endpoint) const { return border_ != nullptr && outside_[endpoint]; }
    void require_known_outside(const FlowProgram& program) const;
    Outside outside_share(const Move& move, std::uint32_t operand, std::uint32_t endpoint) const;
    void store_outside(const Move& move, std::uint32_t operand, Ps from, Ps ready);
    void signal_outside(std::uint32_t index, const FlowOp& op, std::uint32_t peer);
    void ask_outside(std::uint32_t number, std::uint32_t operand, Ps now);
    void ask_border(std::uint32_t number);
    void enter_line(std::uint32_t number);
    void arrived_outside(const Transfer& transfer, Ps tail);
    void shorten(FlowFlight& flight) const;
    static std::string what_waits(const Thread& thread);
    // For the log (flow_logging.cpp); apart from what runs without one.
    bool logs() const { return __builtin_expect(log_ != nullptr, 0) != 0; }
    void spent(std::uint32_t index, FlowCause cause)
    {
        if (logs()) log_spent(index, cause);
    }
    void blocked_for(std::uint32_t index, FlowCause cause)
    {
        if (logs()) log_blocked(index, cause);
    }
    std::uint32_t log_sent(std::uint32_t index, Ps left, Ps alone, std::uint32_t record = 0)
    {
        return logs() ? log_->send(index, left, alone, record) : 0;
    }
    void log_spent(std::uint32_t index, FlowCause cause);
    void log_full(std::uint32_t index);
    void log_room(std::uint32_t index);
    void log_blocked(std::uint32_t index, FlowCause cause);
    void log_resumed(std::uint32_t index);
    void log_settled(std::uint32_t index);
    void log_operation(std::uint32_t index);
    void log_move(std::uint32_t index, const FlowOp& op, Ps begin);
    void log_issue(std::uint32_t index, Ps begin);
    void log_copy(std::uint32_t index, Ps head, const CopyIssue& issue);
    void log_packets(std::uint32_t index, Ps from, const MoveLoad& load, const ThreadPace& pace);
    void log_end(std::uint32_t index);
    void log_loads(std::uint32_t index);
    void log_stored(const Transfer& transfer, Ps tail, Ps acknowledged);
    void log_stored_at(const Transfer& stored, Ps tail, Transfer& acknowledge);
    void log_loaded(const Transfer& transfer, Ps tail);

    FlowRanks ranks_;
    PathBook& book_;
    FlowProfile profile_;
    FlowLinks links_;
    FlowBuffers buffers_;
    InputTurns turns_;
    FirstLinkRoom room_;
    EventWheel<13, 16> wheel_;
    Ps now_ = 0;
    FlowLog* log_ = nullptr;
    std::uint64_t events_ = 0;
    std::uint64_t messages_ = 0;
    bool short_signals_ = false;
    FlowTies ties_;
    std::vector<std::unique_ptr<Job>> jobs_;
    std::vector<std::uint32_t> free_jobs_;
    std::vector<Thread> threads_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> free_threads_;  // by size: first of a range
    SlotPool<PacketSteps> packet_steps_;
    SlotPool<Transfer> transfers_;
    std::vector<Parts> parts_;            // by transfer
    std::vector<LoneStore> lone_stores_;  // each once
    std::vector<Engines> engines_[2];     // copy engines and those of units, by endpoint
    std::unique_ptr<Windows> windows_;    // requests in flight of units and engines
    SlotPool<Move> moves_;
    std::unique_ptr<InSwitches> in_switches_;  // operations that switches execute
    SlotPool<Batch> batches_;
    SlotPool<Leaving> leaving_;
    SlotPool<Done> timers_;
    std::unique_ptr<FlowDevices> devices_;  // null: everybody is alone
    std::vector<double> memory_free_;       // by endpoint: from copies at their own place
    FlowPlaces places_;
    FlowHeld held_;
    FlowTogether together_;
    FirstPeersOfPrograms first_peers_;
    FlowCrowd crowd_;
    std::vector<std::uint64_t> at_once_;  // without places: workgroups under way, by endpoint
    FlowBorder* border_ = nullptr;
    std::vector<bool> outside_;  // by endpoint
    SlotPool<Outside> beyond_;
};

}  // namespace weft
