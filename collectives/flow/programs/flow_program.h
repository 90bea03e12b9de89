// The operations of the ranks of a collective at flow fidelity: the steps of a schedule without places in memory, so
// that the programs of
// equal ranks are one template. Peers stand in a template as differences to the own rank.
//
// A schedule of 1024 ranks takes 0.9 GB as steps with operands; its ring is one template of 6138 operations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/schedule/analysis/first_reads.h"
#include "collectives/schedule/protocol/packet_divisions.h"
#include "collectives/schedule/schedule.h"

namespace weft {

enum class FlowKind : std::uint8_t { move, signal, wait, barrier, nop };

struct FlowOp {
    enum Flags : std::uint16_t {
        with_previous = 1,  // need not wait for the data operation before it
        goes_on = 2,        // the next one need not wait for it
        needs_fence = 4,    // it touches what the thread wrote or read without a fence since
        published = 8,      // others depend on it
        depends = 16,       // it depends on others (FlowTemplate::after)
        own_cold = 32,      // what it loads from the own rank comes from memory
        loads_packets = 64,
        stores_packets = 128,
        shared_flag = 256,    // several ranks signal its semaphore, or several threads wait for it
        asks_fenced = 512,    // it asks for what it loads behind that fence whenever it tries
        loads_group = 1024,   // a switch combines its sources, which are all operands
        stores_group = 2048,  // a switch copies it to its destinations, which are all operands
        pushes = 4096,        // it is added up with what the other destinations push
        packs_own = 8192,     // it stores packets at its own rank: an operand behind those of other ranks
        fenced_twice = 16384  // for what it touches, and for the packets that it stores
    };

    FlowKind kind = FlowKind::nop;
    std::uint8_t waits =
        0;  // a wait: waits in a row from here on, for different flags, that can be one look; 32 at most
    std::uint16_t flags = 0;
    std::uint16_t own_sources = 0;  // without packets
    std::uint16_t own_destinations = 0;
    std::uint16_t sources = 0;       // of other ranks, and packets: operands from `first` on
    std::uint16_t destinations = 0;  // of other ranks: behind them
    std::uint32_t first = 0;
    std::uint32_t peer = 0;       // signal, wait
    std::uint32_t semaphore = 0;  // signal, wait, barrier
    std::uint32_t count = 1;      // chunks; of a barrier: participants
    std::uint32_t moves = 1;      // of count / moves chunks each, one behind the other
    std::uint32_t part = 0;       // of packets and of what is pushed; 0 elsewhere
    std::uint32_t parts = 1;
    // With `own_cold`: so many operations before it, in the same run, the thread has begun to load the same; 0: it has not.
    std::uint32_t behind = 0;
    std::uint32_t shape = 0;  // equal for operations that cost a rank the same

    bool has(Flags flag) const { return (flags & flag) != 0; }
    // Lines that are loaded and stored for each line that goes to a peer.
    double requests() const
    {
        return (0.0 + sources + own_sources + destinations + own_destinations) / std::max(1U, 0U + destinations);
    }
    // How many copies of its data it stores; 1 if it stores none.
    double copies() const { return std::max(1.0, 0.0 + own_destinations + destinations); }
    bool operator==(const FlowOp& other) const;
};

struct FlowOperand {
    std::uint32_t peer = 0;
    std::uint32_t slot = 0;  // of packets; of what is pushed: buffer and chunk
    bool packets = false;
    bool cold = false;  // comes from memory

    bool operator==(const FlowOperand& other) const
    {
        return peer == other.peer && slot == other.slot && packets == other.packets && cold == other.cold;
    }
};

struct FlowTemplate {
    std::vector<FlowOp> ops;
    std::vector<FlowOperand> operands;
    std::vector<std::pair<std::uint32_t, StepId>> after;  // of operations with `depends`, ascending
    std::uint32_t shapes = 0;
    bool lone = false;  // no other thread of its rank does the same with other semaphores or parts, as channels do

    bool operator==(const FlowTemplate& other) const
    {
        return ops == other.ops && operands == other.operands && after == other.after && lone == other.lone;
    }
    std::size_t bytes() const
    {
        return ops.size() * sizeof(FlowOp) + operands.size() * sizeof(FlowOperand) + after.size() * sizeof(after[0]);
    }
};
inline bool operator==(const StepId& a, const StepId& b) { return a.thread == b.thread && a.step == b.step; }

// Ranks as points of a grid, the first axis innermost; a peer differs from its rank on one axis only. One axis: the peer is
// some ranks further on, modulo the number of ranks.
class RankGrid {
public:
    explicit RankGrid(std::vector<std::uint32_t> sizes);

    std::uint32_t size() const { return ranks_; }
    const std::vector<std::uint32_t>& sizes() const { return sizes_; }
    // The difference from `rank` to `peer`. Throws std::logic_error where they differ on several axes.
    std::uint32_t difference(std::uint32_t rank, std::uint32_t peer) const;
    std::uint32_t peer(std::uint32_t rank, std::uint32_t difference) const
    {
        const std::uint32_t axis = difference >> axis_shift;
        const std::uint32_t by = difference & ((1U << axis_shift) - 1);
        if (sizes_.size() == 1) return rank + by < ranks_ ? rank + by : rank + by - ranks_;
        const std::uint32_t here = rank / strides_[axis] % sizes_[axis];
        const std::uint32_t there = here + by < sizes_[axis] ? here + by : here + by - sizes_[axis];
        return rank + there * strides_[axis] - here * strides_[axis];
    }

    // The difference back: peer(peer(rank, d), opposite(d)) == rank.
    std::uint32_t opposite(std::uint32_t difference) const
    {
        const std::uint32_t axis = difference >> axis_shift;
        const std::uint32_t by = difference & ((1U << axis_shift) - 1);
        return by == 0 ? difference : axis << axis_shift | (sizes_[axis] - by);
    }

private:
    static constexpr unsigned axis_shift = 28;
    std::vector<std::uint32_t> sizes_;
    std::vector<std::uint32_t> strides_;
    std::uint32_t ranks_ = 1;
};

struct FlowProgram {
    std::string name;
    CollectiveOp op = CollectiveOp::custom;
    std::uint32_t chunks = 0;
    RankGrid grid{{1}};
    // Signals of a rank have a semaphore of their own at every peer: it is known by both ranks and its number.
    bool by_signaller = false;
    std::vector<FlowTemplate> templates;
    std::vector<std::uint32_t>
        first;  // by rank: its first thread in `template_of`, and one past the last; empty: all alike
    std::vector<std::uint32_t> template_of;
    std::uint32_t barriers = 0;  // numbers below this one are in use
    bool has_packets = false;
    bool in_switches = false;                                                       // switches combine or copy
    std::map<PacketDivision, std::vector<PacketDivision>> packets_cut_otherwise{};  // packet_divisions.h

    std::uint32_t ranks() const { return grid.size(); }
    std::uint32_t threads(std::uint32_t rank) const
    {
        return first.empty() ? static_cast<std::uint32_t>(template_of.size()) : first[rank + 1] - first[rank];
    }
    std::uint32_t template_number(std::uint32_t rank, std::uint32_t thread) const
    {
        return template_of[(first.empty() ? 0 : first[rank]) + thread];
    }
    std::uint64_t moves() const;       // of all ranks
    std::uint64_t operations() const;  // of all ranks, and the end of each thread
    std::size_t bytes() const;
};

// Collects the plans of ranks, one after the other; those that come out alike share their templates.
class FlowProgramMaker {
public:
    // `fenced`: a fence precedes every step that stores packets. `first_reads`, which must outlive this: what comes from memory;
    // null: each load from an input does.
    FlowProgramMaker(const Schedule& frame, RankGrid grid, bool by_signaller, bool fenced,
        const FirstReads* first_reads = nullptr);

    // By rank and semaphore: whether several ranks signal it or several threads wait for it.
    void set_shared_flags(std::vector<std::vector<bool>> of) { shared_ = std::move(of); }
    // The next rank.
    void add(const RankPlan& plan) { add(static_cast<std::uint32_t>(program_.first.size() - 1), plan); }
    // The plan as templates of rank `rank`, which the program then has as well.
    std::vector<std::uint32_t> templates_of(std::uint32_t rank, const RankPlan& plan);

    FlowProgram take();
    // All ranks have the threads of these templates.
    FlowProgram take_for_all(std::vector<std::uint32_t> threads);

private:
    void add(std::uint32_t rank, const RankPlan& plan);
    FlowTemplate folded(std::uint32_t rank, std::uint32_t thread, const RankPlan& plan) const;
    std::uint32_t intern(FlowTemplate&& made);

    const Schedule& frame_;
    bool fenced_;
    const FirstReads* first_reads_;
    std::vector<std::vector<bool>> shared_;
    FlowProgram program_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

// The program of a schedule. `schedule` must pass verify(). Throws InputError for port channels, and for packets that switches
// combine or copy. `first_reads`: as above.
FlowProgram program_of(const Schedule& schedule, bool fenced = false, const FirstReads* first_reads = nullptr);

}  // namespace weft
