// Plays a schedule through on a cost graph, event by event: the estimate itself (estimate.h has its rules). Threads, what they
// wait for and the clock are in estimate_player.cpp; what data steps
// do in estimate_moves.cpp, what switches do in estimate_switches.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/order.h"
#include "collectives/synthesis/packet_steps.h"
#include "collectives/synthesis/estimate.h"
#include "collectives/synthesis/link_clock.h"
#include "collectives/synthesis/open_chunks.h"
#include "collectives/synthesis/packet_arrivals.h"
#include "collectives/synthesis/request_places.h"
#include "collectives/synthesis/switch_routes.h"
#include "collectives/synthesis/thread_pace.h"

namespace weft {

class EstimatePlayer {
public:
    EstimatePlayer(const Schedule& schedule, const CostGraph& graph, const EstimateOptions& options);

    Estimate play();

private:
    using Ps = std::uint64_t;

    enum class Kind : std::uint8_t { resume, hop, loaded };
    struct Event {
        Ps time;
        std::uint64_t order;
        Kind kind;
        std::uint32_t index;
        bool operator<(const Event& other) const
        {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    // Parts in which a transfer comes to a link: lines of several threads that issue at once mix there.
    static constexpr std::uint32_t most_parts = 4;
    struct Move {
        const Step* step = nullptr;
        std::uint32_t thread = 0;
        double bytes = 0;          // of data
        double packed = 0;         // of its packets
        double messages = 1;       // of all threads that it stands for, or which part of one
        double sets = 0;           // of registers
        double load_byte_ps = 0;   // that its loads hold places of the unit,
        double store_byte_ps = 0;  // and its stores (request_places.h)
        Ps round_ps = 0;
        Ps load_ps = 0;
        Ps issue_ps = 0;
        std::uint32_t parts = most_parts;  // in which it comes to a link, at most
        std::uint32_t pending = 0;         // loads
        Ps head = 0;                       // the first line of all that it loads has come
        Ps loaded = 0;                     // the last one
    };
    struct Thread {
        const std::vector<Step>* steps = nullptr;
        std::uint32_t rank = 0;
        std::uint32_t next = 0;
        Ps time = 0;
        Ps settled = 0;               // all stores so far are acknowledged
        std::uint32_t in_flight = 0;  // transfers whose end is not known yet
        std::uint32_t loading = 0;    // moves whose loads are not back
        std::uint32_t base = 0;       // length of the chain of transfers that what follows depends on
        std::uint32_t depth = 0;      // and with this thread's own
        bool blocked = false;         // for in_flight and loading,
        bool for_loads = false;       // or for loading alone
        bool needs_set = false;       // for registers that a load holds
        double sets = 0;              // of registers, that loads hold
        std::uint32_t rest = 0;       // pieces of its last move that wait for registers, each as `resting`
        Move resting;
        std::uint32_t fenced = ~std::uint32_t{0};  // the step before which the last fence was
        std::uint32_t waits_left = 0;              // of those that are looked at together
        bool slept = false;                        // for one of them
        Ps looked = 0;                             // the look at them is over
        Ps loaded = 0;                             // everything that loads have brought so far was there
        OpenChunks open;
        PacketSteps packets;
        RequestPlaces places;
    };
    enum class Use : std::uint8_t { put, get, signal, operand, to_switch, pushed, copy, lowered };
    struct Transfer {
        Flight flight;
        Use use = Use::put;
        std::uint32_t thread = 0;
        std::uint32_t target = 0;  // semaphore; of a get: move; of what switches do: gathering
        Ps earliest = 0;           // end, for all that the thread can issue
        Ps answer = 0;
        std::uint32_t depth = 0;
        std::uint32_t to = 0;                      // of a signal
        PacketArrivals::Share* packets = nullptr;  // that it brings
    };
    // What a switch combines or copies.
    struct Gathering {
        const Step* step = nullptr;
        const SwitchGroupRoutes* routes = nullptr;
        std::vector<std::uint32_t> threads;  // that wait for it; of a load one
        std::uint32_t move = 0;              // of a load
        std::uint32_t pending = 0;
        double bytes = 0;
        Ps head = 0;
        Ps tail = 0;
        Ps earliest = 0;
        // Over two tiers: the parts that leaves have of it; of such a part, what it is of, and whose.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves;
        std::uint32_t above = ~std::uint32_t{0};
        std::uint32_t leaf = ~std::uint32_t{0};
    };
    struct Arrival {
        Ps time;
        std::uint32_t depth;
    };
    struct Semaphore {
        std::vector<Arrival> arrived;
        std::size_t taken = 0;
        std::vector<std::uint32_t> sleepers;
        std::size_t woken = 0;
    };
    struct Dependency {
        bool done = false;
        Ps time = 0;
        std::uint32_t depth = 0;
        std::vector<std::uint32_t> sleepers;
    };

    static std::uint64_t key(std::uint32_t thread, std::uint32_t step) { return std::uint64_t{thread} << 32 | step; }
    void push(Ps time, Kind kind, std::uint32_t index) { events_.push({time, order_++, kind, index}); }
    void resume(std::uint32_t thread, Ps time) { push(time, Kind::resume, thread); }
    const CostRank& rank_of(const Thread& thread) const { return graph_.ranks[thread.rank]; }

    // Threads.
    void run(std::uint32_t index);
    bool has_loaded(Thread& thread);
    bool settle(Thread& thread);
    void unblock(std::uint32_t index);
    bool dependencies_met(std::uint32_t index, const Step& step);
    bool publish(std::uint32_t index, Dependency& dependency);
    void finish_blocked(std::uint32_t index);
    void signal(std::uint32_t index, const Step& step);
    void arrive(std::uint32_t number, std::uint32_t rank, Ps time, std::uint32_t depth);
    std::uint32_t waits_together(std::uint32_t index) const;
    bool wait(std::uint32_t index, const Step& step);
    bool meet(std::uint32_t index, const Step& step);
    Estimate result();

    // Data.
    bool packets_have_come(std::uint32_t index, const Step& step);
    bool may_move(std::uint32_t index, const Step& step);
    void move(std::uint32_t index, const Step& step, bool run_goes_on);
    PacketSteps::Found packets_found(const Thread& thread, const Step& step, const MoveLoad& load, bool new_run);
    void move_packets(std::uint32_t index, const Step& step, const MoveLoad& load, const ThreadPace& pace);
    void ask(const Move& move, Ps now);
    std::uint32_t ask_rest(std::uint32_t index, Ps now);
    ThreadPace pace_of(const Thread& thread) const;
    ThreadPace own_pace_of(const Thread& thread) const;
    RequestPlaces::Delay take_places(Thread& thread, Ps now, double byte_ps, Ps round_ps) const;
    MovePieces pieces_of(const Thread& thread, const Step& step, const MoveLoad& load) const;
    void note_alpha(const Thread& thread, const Step& step);
    void store(const Move& move, Ps from, Ps ready);
    void loaded(std::uint32_t number);
    bool finds_registers(std::uint32_t index, const Step& step);
    std::uint32_t launch_parts(Transfer transfer, Ps span, std::uint32_t most);
    void launch(const Transfer& transfer);
    void hop(std::uint32_t number);
    void arrived(std::uint32_t number);
    void packets_arrived(const Transfer& transfer, Ps tail);

    // Switches.
    const SwitchGroupRoutes* routes(const Thread& thread, const std::vector<ChunkRef>& operands, bool in_order);
    void ask_members(std::uint32_t number, Ps now, Ps earliest);
    void store_group(const Move& move, Ps from, Ps ready);
    void gathered(const Transfer& transfer, Ps tail);
    void send_copies(std::uint32_t number);
    std::uint32_t part_of(std::uint32_t number, std::uint32_t leaf);
    void pass_tier(std::uint32_t number, Use use);
    void copy_to_members(std::uint32_t number);
    void send_down(std::uint32_t number);
    std::uint32_t push_gathering(const Step& step, std::uint32_t index);

    template <class T>
    static std::uint32_t take(std::vector<T>& pool, std::vector<std::uint32_t>& unused, const T& value)
    {
        if (unused.empty()) {
            pool.push_back(value);
            return static_cast<std::uint32_t>(pool.size() - 1);
        }
        const std::uint32_t number = unused.back();
        unused.pop_back();
        pool[number] = value;
        return number;
    }

    const Schedule& schedule_;
    const CostGraph& graph_;
    EstimateOptions options_;
    Numbering numbering_;
    std::vector<Thread> threads_;
    std::vector<Semaphore> semaphores_;
    std::vector<std::vector<std::uint32_t>> meetings_;
    LinkClock clock_;
    SwitchRoutes switch_routes_;
    PacketArrivals packets_;
    std::uint32_t each_;
    double chunk_bytes_;
    bool has_packets_;
    std::unordered_map<std::uint64_t, Dependency> depended_;
    std::unordered_map<std::uint32_t, Dependency*> unpublished_;
    std::vector<Transfer> transfers_;
    std::vector<std::uint32_t> free_transfers_;
    std::vector<Move> moves_;
    std::vector<std::uint32_t> free_moves_;
    std::vector<Gathering> gatherings_;
    std::vector<std::uint32_t> free_gatherings_;
    // Of pushes that lack members: by what goes together, the oldest first.
    std::map<std::vector<std::uint64_t>, std::vector<std::uint32_t>> pushes_;
    std::priority_queue<Event> events_;
    std::uint64_t order_ = 0;
    std::uint64_t played_ = 0;
    Ps now_ = 0;
    Ps last_ = 0;
    Ps alpha_ = 0;
    Ps push_way_ps_ = 0;  // the longest, there and back
    bool unpriced_ = false;
};

}  // namespace weft
