// The costs of a schedule on a real fabric, as numbers: shared links, the path between every two ranks, and the
// latencies of a step. Made from a resolved system by platform/choice; nothing in here knows documents.
//
// Times are picoseconds, sizes payload bytes. Headers are in the rates of the links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/synthesis/packet_polls.h"

namespace weft {

// The time on a link of transfers of several ranks that wait for more than the buffer behind it holds, on paths that pass ranks:
// such links are idle at times, for want of credits. Measured, not derived (docs/synthesis.md).
constexpr double slowed_by_ranks = 1.5;

// One direction of a link, or anything else that lines pass one after the other.
struct CostLink {
    std::string name;             // "dgx.0.xpu.0 -> dgx.0.nvsw.1"
    double ps_per_byte = 0;       // of stored payload with its headers
    double back_ps_per_byte = 0;  // what goes back for it, on `reverse`
    std::int32_t reverse = -1;    // the other direction; -1: nothing goes back
    std::int32_t from = -1;       // nodes at its ends; -1: not known
    std::int32_t to = -1;
    double buffer = 0;  // payload that waits behind it before its senders notice; 0: any
    // The same of lines that a switch carries out for a group, whose packets may be shorter.
    double group_ps_per_byte = 0;
    double group_back_ps_per_byte = 0;
    double push_more_ps_per_byte = 0;  // beyond group_ps_per_byte, of what is pushed to be added up
    // Contexts of a switch: B of operations that it has contexts for at once (context_window.h), each for group_ps_per_byte x that; the
    // same beyond it, of loads of what members have in memory.
    double at_once = 0;  // 0: it is no context
    double cold_more_ps_per_byte = 0;
    // Beyond the rates, which are those of long streams (flow fidelity): payload of a packet and what a packet costs where a
    // network card cuts messages, their own headers there and back, and a signal there and back.
    double packet_payload = 0;  // 0: no messages
    double packet_ps = 0;
    double message_ps = 0;
    double answer_ps = 0;
    bool card = false;  // behind a network card: lines of a message that take several have a message at each
    double message_interval_ps = 0;  // the same: from the start of one message to the next, by all links of the card
    double signal_ps = 0;
    double signal_back_ps = 0;
    double shared_packet_ps = 0;  // less, of a signal that finds a packet of another one to the same rank open
    double packet_time_ps = 0;  // of the longest packet, which lines of other channels wait for; 0: they wait for none
    // Acknowledges of what passes it hold a credit of the other direction from one node to the next: how many there are, and for
    // how long one is held where nothing waits.
    double answer_credits = 0;  // 0: any
    double answer_round_ps = 0;
    double answer_dwell_ps = 0;  // more, where they do not end at the node but pass it
};

// A switch that combines and copies for ranks that are attached to it. What limits it are links of their own.
struct CostSwitch {
    std::uint32_t adder = 0;     // that operands pass
    std::uint32_t contexts = 0;  // that operations pass; of a leaf, those that come from spines
    std::uint32_t groups = 0;    // sets of ranks that it can know
    std::uint32_t node = 0;      // switches with several planes take their order from it
};

// A link between a rank and such a switch, both ways.
struct CostPort {
    std::uint32_t at = 0;  // of CostGraph::switches
    std::uint32_t up = 0;
    std::uint32_t down = 0;
    std::uint64_t answered_ps = 0;  // an acknowledge from there to the unit that waits for it
};

// A link between two such switches, both ways: one that ranks are attached to, and one above it.
struct CostTrunk {
    std::uint32_t leaf = 0;  // of CostGraph::switches
    std::uint32_t spine = 0;
    std::uint32_t up = 0;
    std::uint32_t down = 0;
    std::uint64_t answered_ps = 0;  // an acknowledge from the spine to what the leaf sends on
};

// The part of a transfer that passes one link.
struct LinkShare {
    std::uint32_t link = 0;
    double share = 1;
    std::uint32_t set = 0;  // of virtual channels, that it uses there
};

// Links that a transfer passes at the same distance from its sender, equal paths side by side.
struct PathStage {
    std::uint64_t before_ps = 0;  // from the stage before, or the sender
    std::vector<LinkShare> links;
};

// One route between two ranks.
struct CostPath {
    std::vector<PathStage> stages;  // empty: no route
    std::uint64_t put_ps = 0;       // a line from the unit that stores it to where it lies
    std::uint64_t answer_ps = 0;    // and its acknowledge back
    bool neighbours = false;        // no other rank lies between
};

// Engines that copy without wavefronts (flow fidelity): from a copy at the head of an engine's queue to its first load, their rate, and
// bytes of an engine in flight.
struct CopyCost {
    std::uint64_t start_ps = 0;
    double ps_per_byte = 0;  // stored
    double in_flight = 0;
    std::uint32_t engines = 1;
    std::uint32_t lists = 1;           // that all engines work on at once
    std::uint64_t poll_period_ps = 0;  // of a list: from one poll of a flag to the next

    std::uint32_t places() const { return lists / engines; }

    bool operator==(const CopyCost& other) const
    {
        return start_ps == other.start_ps && ps_per_byte == other.ps_per_byte && in_flight == other.in_flight &&
            engines == other.engines && lists == other.lists && poll_period_ps == other.poll_period_ps;
    }
};

struct CostRank {
    std::string name;
    std::uint64_t load_ps = 0;         // a line from the own cache
    std::uint64_t refill_ps = 0;       // the farthest line of an instruction, for which registers wait; 0: load_ps
    std::uint64_t cold_ps = 0;         // more, where it comes from memory for the first time
    std::uint64_t cold_behind_ps = 0;  // the same of what lies between its cache and the memory (flow fidelity)
    std::uint64_t own_flag_ps = 0;     // a signal to the own rank: until its flag is set
    std::uint64_t notice_ps = 0;       // a flag that is set to the thread that waits for it going on
    // From one poll to the next, half of which is in notice_ps; 0 where the cache holds waits.
    std::uint64_t poll_period_ps = 0;
    std::uint64_t poll_far_ps = 0;   // a flag is that much nearer, or farther: half of them each, in a divided cache
    std::uint64_t poll_ps = 0;       // a poll of an own flag, there and back
    std::uint64_t poll_slot_ps = 0;  // from one flag of a look to the next
    std::uint32_t poll_lanes = 1;    // flags that a thread looks at together
    PacketPolls packets;
    std::uint64_t fence_ps = 0;  // of a fence, beyond the last acknowledge
    std::uint64_t launch_ps = 0;
    std::vector<CostPort> ports;  // to switches that combine and copy
    // One thread of a schedule: bytes on their way from the own cache, and without an acknowledge where its unit is
    // not shared; time of an issue slot, per byte and operand.
    double registers = 0;    // 0: any
    double sets = 1;         // that `registers` are divided into
    double wavefronts = 1;   // of a thread, each with its part of every set
    double outstanding = 0;  // 0: any
    double issue_ps_per_byte = 0;
    std::uint32_t units = 1;           // that threads are dealt out to
    std::uint32_t threads = 1;         // that run at once
    CopyCost copy{};                   // engines of the accelerator
    CopyCost bulk{};                   // of its units, one each
    std::uint64_t copy_notice_ps = 0;  // notice_ps of a copy engine's list
};

struct CostGraph {
    std::vector<CostRank> ranks;
    std::vector<CostLink> links;
    std::vector<CostSwitch> switches;  // that combine and copy
    std::vector<CostTrunk> trunks;     // between these, where groups over two tiers are wanted
    std::vector<CostPath> paths;       // from * size + to; empty stages on the diagonal
    // The links of what `to` has loaded from `from`: those of its requests, back. Empty: they are those of `paths`.
    std::vector<CostPath> answers;

    std::uint32_t size() const { return static_cast<std::uint32_t>(ranks.size()); }
    const CostPath& path(std::uint32_t from, std::uint32_t to) const { return paths[std::size_t{from} * size() + to]; }
    CostPath& path(std::uint32_t from, std::uint32_t to) { return paths[std::size_t{from} * size() + to]; }
    const CostPath& answer(std::uint32_t from, std::uint32_t to) const
    {
        return answers.empty() ? path(from, to) : answers[std::size_t{from} * size() + to];
    }
};

// Whether two graphs are alike in everything but names: what is chosen on one is chosen on the other.
bool same_costs(const CostGraph& a, const CostGraph& b);

// A step of `bytes` bytes by itself: read, put, acknowledged, signalled, noticed.
std::uint64_t step_ps(const CostGraph& graph, std::uint32_t from, std::uint32_t to);
// Time that `bytes` bytes occupy the slowest link of a path.
double occupancy_ps(const CostGraph& graph, const CostPath& path, double bytes);

// Every route turned round: what the graph is for data that flow backwards.
CostGraph reversed(const CostGraph& graph);

// Throws InputError, naming two ranks, when one cannot be reached from rank 0 by way of neighbours.
void require_connected(const CostGraph& graph);

// For tests and small studies: `n` ranks without latencies inside, no link yet.
CostGraph plain_graph(std::uint32_t n);
// A switch that combines and copies, which as yet nobody is attached to; its number.
std::uint32_t add_switch(CostGraph& graph, const std::string& name, double adder_ps_per_byte,
    double context_ps_per_byte, std::uint32_t groups);
// Links both ways between two ranks.
void add_wire(CostGraph& graph, std::uint32_t a, std::uint32_t b, double ps_per_byte, std::uint64_t latency_ps);

}  // namespace weft
