// State of one collective while a FlowCore carries it out; of engines that copy, and of what is beyond a border.
#pragma once

#include <utility>
#include <vector>

#include "collectives/flow/flow_core.h"
#include "collectives/flow/programs/first_peers.h"

namespace weft {

struct FlowCore::Engine {                        // that copies
    Ps free = 0;                                 // all loads so far are issued
    double issued = 0;                           // bytes so far
    double done_ps = 0;                          // what leaves room for the next of them is acknowledged
    std::deque<std::pair<double, double>> open;  // bytes so far, and when they are acknowledged
    std::uint32_t window = 0;                    // as in Transfer
    std::uint32_t taken = 0;                     // places of lists, or of workgroups
};

// The copy engines of an accelerator, or those of its units. Who comes next has a place on the next of them that has room.
struct FlowCore::Engines {
    std::vector<Engine> all;
    std::uint32_t next = 0;
    std::deque<std::pair<std::uint32_t, Ps>> queued;  // lists without a place, and since when
};

struct FlowCore::CopyIssue {
    Ps end = 0;   // when the last load is issued
    Ps held = 0;  // of the time until then, at the limit of requests in flight
};

// A transfer whose parts each wait for their own turn at the links of one stage.
struct FlowCore::Parts {
    std::uint32_t left = 0;  // parts that have not passed
    Ps head_ps = 0;          // when the last of the others began to
};

struct FlowCore::Outside {  // a share or a signal that is beyond the border
    FlowBorder::Share share;
    FlowBorder::Signal signal;
    std::uint32_t thread = 0;
    std::uint32_t path = 0;
    double held = 0;  // of the places of its unit, until it is acknowledged
    // Of a load.
    std::uint32_t move = 0;
    std::uint32_t lines = 0;  // of the answer that are still to come
    Ps issue_ps = 0;
    Ps head = 0;
    Ps tail = 0;
};

struct FlowCore::Batch {  // ranks that begin together
    JobId job = 0;
    Ps time = 0;
    std::vector<std::uint32_t> positions;
    // Where ranks take places one by one: of how many positions the threads have looked for places, and those that have one, by their number at a rank.
    std::size_t placed = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ready;
};

struct FlowCore::Leaving {
    JobId job = 0;
    std::uint32_t position = 0;
};

struct FlowCore::Move {
    std::uint32_t op = 0;
    std::uint32_t thread = 0;
    double bytes = 0;   // of data
    double packed = 0;  // of its packets
    double part = 1;    // of the operation
    double sets = 0;    // of registers
    double places = 1;  // of requests in flight, for each byte of an operand
    bool singly = false;
    std::uint32_t window = 0;  // of an engine that copies (Transfer)
    Ps held_ps = 0;            // the same: for how long a place is held where nothing waits
    Ps load_ps = 0;
    Ps issue_ps = 0;
    Ps late_ps = 0;                 // so much later its last part comes (FlowCore::last_line_late)
    bool gives_way = false;         // it comes by then, and before where its link is idle
    Ps slots_ps = 0;                // to issue what it loads from one peer
    Ps stride_ps = 0;               // from one peer to the next
    std::uint32_t least_parts = 1;  // in which it comes to a link
    std::uint32_t most_parts = ~std::uint32_t{0};
    std::uint32_t more = 0;       // such pieces that have not been asked for, where it stands for them
    std::uint32_t pending = 0;    // loads
    Ps head = 0;                  // the first line of all that it loads has come
    Ps loaded = 0;                // the last one
    std::uint32_t behind = none;  // of the same thread, in the order in which they took registers
    bool here = false;
    std::uint32_t record = 0;  // in the log
};

// A store on a link of its own, that a thread repeats.
struct FlowCore::LoneStore {
    LonePass pass;
    Ps put_ps = 0;
    Ps answer_ps = 0;
};

struct FlowCore::Job {
    // Arrivals that nobody has taken, and threads that sleep: chains of nodes.
    struct Semaphore {
        std::uint32_t first = none;
        std::uint32_t last = none;
        std::uint32_t first_sleeper = none;
        std::uint32_t last_sleeper = none;
    };
    struct Node {
        Ps time = 0;   // of an arrival: the flag is set
        Ps known = 0;  // its last link is reached; of a sleeper: its thread
        std::uint32_t next = none;
        std::uint32_t sent = 0;  // number in the log
    };
    struct Dependency {
        bool done = false;
        Ps time = 0;
        std::uint32_t sent = 0;  // number in the log
        std::vector<std::uint32_t> sleepers;
    };
    struct Share {  // packets that one operation stores and another loads
        bool here = false;
        bool empty = false;  // of a small message: there are none, and nobody waits for them
        Ps head = 0;         // the first of them
        Ps tail = 0;
        std::uint32_t sent = 0;  // number in the log
        std::vector<std::uint32_t> sleepers;
    };
    struct Position {
        std::uint32_t threads_left = 0;
        Ps end = 0;
        Done done;
    };

    JobId id = 0;
    FlowJob what;
    std::shared_ptr<const FirstPeers> first_peers;  // of units, with buffers; else null
    double chunk_bytes = 0;
    std::uint32_t first_thread = 0;
    std::uint32_t thread_count = 0;
    std::vector<std::uint32_t> first_of_rank;  // among them; empty: as many for every rank
    std::uint32_t positions_left = 0;
    std::uint32_t positions_to_enter = 0;
    std::uint32_t last_batch = none;
    std::vector<Position> positions;
    FlatMap semaphore_numbers;
    std::vector<Semaphore> semaphores;
    std::vector<Node> nodes;
    std::uint32_t free_node = none;
    FlatMap barrier_numbers;
    std::vector<std::vector<std::uint32_t>> barriers;  // threads that are there
    FlatMap dependency_numbers;
    std::vector<Dependency> dependencies;
    std::map<PacketDivision, std::uint32_t> share_numbers;
    std::vector<Share> shares;
    static constexpr double least_unread = 1e-3;  // bytes: less is rounding
    std::vector<double> unread;                   // by endpoint: bytes of its input that nobody has loaded; empty: all

    const FlowProgram& program() const { return *what.program; }
    bool crowded() const { return first_peers != nullptr && first_peers->crowded; }
    bool begins_alike(std::uint32_t rank) const { return first_peers != nullptr && first_peers->alike[rank]; }
    // The part that the rank has in the job.
    FlowTogether::Part part(std::uint32_t rank) const
    {
        FlowTogether::Part out;
        out.units = what.mover == FlowMover::units;
        out.moves = first_peers != nullptr && first_peers->moves[rank];
        out.stores = first_peers != nullptr && first_peers->stores[rank];
        const bool sends = program().op == CollectiveOp::send_receive && rank == 0 && what.mover == FlowMover::units;
        out.sent = sends ? what.bytes : 0;
        return out;
    }
    bool cached(std::uint32_t rank) const { return !what.cached.empty() && what.cached[rank]; }
    bool all_read(std::uint32_t endpoint) const { return !unread.empty() && unread[endpoint] < least_unread; }
    double input_bytes() const
    {
        const bool part = program().op == CollectiveOp::all_gather || program().op == CollectiveOp::gather;
        return chunk_bytes * program().chunks / (part ? program().ranks() : 1);
    }
    std::uint32_t thread(std::uint32_t rank, std::uint32_t of) const
    {
        const std::uint32_t first = first_of_rank.empty() ? rank * program().threads(0) : first_of_rank[rank];
        return first_thread + first + of;
    }
    // The semaphore at rank `at` that rank `from` signals.
    std::uint32_t semaphore(std::uint32_t at, std::uint32_t from, std::uint32_t number)
    {
        constexpr unsigned bits = 20;
        const std::uint64_t by = program().by_signaller ? from + 1 : 0;
        const std::uint64_t key = std::uint64_t{number} << 2 * bits | by << bits | at;
        const std::uint32_t known = semaphore_numbers.find(key);
        if (known != FlatMap::none) return known;
        const auto made = static_cast<std::uint32_t>(semaphores.size());
        semaphores.emplace_back();
        semaphore_numbers.insert(key, made);
        return made;
    }
    std::uint32_t new_node(Ps time, Ps known, std::uint32_t sent = 0)
    {
        if (free_node == none) {
            nodes.push_back({time, known, none, sent});
            return static_cast<std::uint32_t>(nodes.size() - 1);
        }
        const std::uint32_t made = free_node;
        free_node = nodes[made].next;
        if (free_node != none) __builtin_prefetch(&nodes[free_node], 1);
        nodes[made] = {time, known, none, sent};
        return made;
    }
    void append(std::uint32_t& first, std::uint32_t& last, std::uint32_t node)
    {
        (first == none ? first : nodes[last].next) = node;
        last = node;
    }
    Node take_first(std::uint32_t& first)
    {
        const std::uint32_t node = first;
        const Node out = nodes[node];
        first = out.next;
        nodes[node].next = free_node;
        free_node = node;
        return out;
    }
};

}  // namespace weft
