// Runs a Chakra trace set: one feeder per rank hands out nodes as their parents finish, the engine starts
// them as resources allow.
//
//   compute               recorded duration, else roofline of num_ops and tensor_size, else 1 ns; with `compute` = kernel
//                         workgroups on the rank's units that take the time or do the operations and load the bytes
//   memory                reads or writes tensor_size bytes of the rank's own memory, or of the memory that its
//                         tensor_loc counts, or, without one, of those in turn over the ranks
//   send, receive         matched by (source, destination, tag), first in first out; a send is a put into a
//                         buffer of the receiver and does not wait for it
//   collective            matched by order of issue within its group, a communicator; the built-in algorithm of `algorithms`
//   metadata, invalid     finish at once
//
// In flight per rank: one CPU node, `compute_in_flight` compute nodes, `communication_in_flight` collectives,
// sends and memory nodes; receives are not limited.
//
// `collective_order` says which communication nodes come first. With fifo every rank starts its free nodes by
// ascending id and waits inside for the others; where nothing moves any more because all wait crosswise, one more of
// them starts on every rank that has one. With lifo and priority ranks agree (communication_order.h).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectives/chakra/validate.h"
#include "collectives/engine/breakdown.h"
#include "collectives/engine/traces/communication_order.h"
#include "collectives/engine/engine_spec.h"
#include "collectives/engine/executor.h"
#include "collectives/engine/node_log.h"
#include "collectives/engine/traces/trace_schedules.h"

namespace weft {

struct TraceRequest {
    std::vector<std::uint32_t> members;   // endpoint of each rank of the trace
    std::vector<std::uint32_t> memories;  // endpoints that memory nodes go to; empty: each to its rank's own memory
    std::string algorithm;                // empty or unknown to an operation: its default
    std::vector<Dimension> dimensions;    // that the ranks form, with their rates; empty: none are named
    // Instead of `algorithm`: the schedule of a collective of so many bytes (layout.h) among these ranks of the trace.
    std::function<std::shared_ptr<const Schedule>(CollectiveOp op, const std::vector<std::uint32_t>& ranks,
        std::uint64_t bytes, std::uint32_t channels)>
        choose = {};
};

class TraceEngine {
public:
    // `set` must outlive the engine; `verdict` comes from chakra::validate.
    TraceEngine(Executor& executor, const chakra::TraceSet& set, chakra::Verdict verdict, const EngineSpec& spec,
        TraceRequest request);

    // Notes every node in `log`, which must outlive the engine. Before start().
    void follow(NodeLog& log) { log_ = &log; }

    void start();
    bool finished() const;
    // For a simulation in which nothing moves any more: starts nodes that only lack a place, where ranks hold their places
    // while they wait for each other crosswise; false when there are none.
    bool let_one_more_in();
    // When each rank's last node finished; 0 for ranks that have not finished.
    std::vector<Picoseconds> finish_times() const;
    std::uint64_t nodes_finished() const { return nodes_finished_; }
    // The time [0, end] of a rank by activity, ps.
    Breakdown::Times breakdown(std::uint32_t rank, Picoseconds end) const { return breakdowns_[rank].until(end); }
    // Over the accelerator's compute nodes that have ended: the sum of num_ops, and of how many nodes num_ops was not stated, a time stood
    // for loads and stores, the roofline counted, and a product of matrices counted in its place.
    struct Operations {
        double done = 0;
        std::uint64_t not_stated = 0;
        std::uint64_t only_timed = 0;
        std::uint64_t nodes = 0;
        std::uint64_t rooflines = 0;
        std::uint64_t products = 0;
    };
    const Operations& operations(std::uint32_t rank) const { return operations_[rank]; }
    // Decisions during the run that the user should know.
    std::vector<std::string> notices() const;
    // The blocked nodes and their causes: nodes in flight and nodes without a free parent, one line each.
    std::vector<std::string> blocked() const;

private:
    struct Started {
        chakra::Node node;
        std::optional<Doing> doing;
        std::size_t record = NodeLog::none;  // in the log
    };
    struct Exchange {  // a transfer or collective that some of its ranks have reached
        Executor::JobId job = 0;
        std::optional<DimensionLedger::Entry> entry = {};  // of a collective over dimensions
        std::uint32_t arrived = 0;
        std::vector<std::optional<std::uint64_t>> here;  // by position: node that has arrived
        std::uint64_t bytes = 0;
        std::size_t logged = NodeLog::none;  // number in the log
        chakra::CollectiveType type = chakra::CollectiveType::all_reduce;
    };
    using Members = std::vector<std::uint32_t>;  // in order
    struct PairKey {
        std::uint32_t source;
        std::uint32_t destination;
        std::int64_t tag;
        bool operator<(const PairKey& other) const
        {
            return std::tie(source, destination, tag) < std::tie(other.source, other.destination, other.tag);
        }
    };
    // A communicator.
    struct Group {
        std::vector<std::uint64_t> issued;  // by position
        std::shared_ptr<const JobGroup> name;
        std::map<std::uint64_t, Exchange> open;  // by number of the instance
    };
    struct Pair {
        std::uint64_t sends = 0;
        std::uint64_t receives = 0;
        std::map<std::uint64_t, Exchange> open;
    };

    void pump(std::uint32_t rank);
    void begin(std::uint32_t rank, chakra::Node node);
    void end(std::uint32_t rank, std::uint64_t id);
    std::uint32_t home_of(std::uint32_t rank, const chakra::Node& node) const;  // of a memory node
    void begin_compute(std::uint32_t rank, const chakra::Node& node);
    void begin_collective(std::uint32_t rank, const chakra::Node& node);
    static PairKey pair_of(std::uint32_t rank, const chakra::Node& node);  // of a transfer
    void begin_transfer(std::uint32_t rank, const chakra::Node& node);
    // From now on the node does this; nothing happens if it has ended.
    void set_doing(std::uint32_t rank, std::uint64_t node, Doing doing);
    std::size_t logged(std::uint32_t rank, const chakra::Node& node);
    void log_meeting(std::uint32_t rank, std::uint64_t node, Exchange& exchange);
    // Ranks agree on what communicates next.
    void on_node(std::uint32_t rank, chakra::Node node);
    void agree_soon();
    void agree();
    std::uint64_t in_range(std::uint32_t rank, const chakra::Node& node,
        const std::function<std::uint64_t()>& figure) const;
    void at_node(std::uint32_t rank, const chakra::Node& node, const std::function<void()>& act) const;
    bool follows_roofline(const chakra::Node& node) const;  // instead of a duration
    bool on_arrays(std::uint32_t rank, const chakra::Node& node) const;
    bool moves_its_bytes(std::uint32_t rank, const chakra::Node& node) const;  // a kernel that loads and stores
    Picoseconds array_time(const GpuSpec& units, const chakra::Node& node, double memory_rate) const;
    Picoseconds compute_time(std::uint32_t rank, const chakra::Node& node) const;
    chakra::ResourceMask allowed(std::uint32_t rank) const;
    bool waits_in_collective() const;

    Executor& executor_;
    const chakra::TraceSet& set_;
    chakra::Verdict verdict_;
    EngineSpec spec_;
    TraceRequest request_;
    std::vector<chakra::Feeder> feeders_;
    std::vector<std::array<std::uint32_t, chakra::resource_count>> in_flight_;
    std::vector<std::map<std::uint64_t, Started>> running_;  // by rank, then id
    std::vector<Breakdown> breakdowns_;
    std::vector<bool> pumping_;
    std::vector<bool> pump_again_;
    // By number (GroupTable), then members: groups of the same ranks are communicators of their own, and those of one
    // number may have other ranks elsewhere.
    std::map<std::uint64_t, std::map<Members, Group>> groups_;
    std::map<PairKey, Pair> pairs_;
    // With order_: the numbers of sends that wait for their turn, by rank and node.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> issued_;
    TraceSchedules schedules_;
    std::optional<CommunicationOrder> order_;                  // absent: fifo
    std::vector<std::map<std::uint64_t, chakra::Node>> came_;  // with order_: nodes that wait for their turn
    bool agreeing_ = false;
    std::vector<std::uint32_t> extra_;   // by rank: places beyond the limit
    bool exceeded_ = false;              // somebody had one,
    bool collectives_wait_ = false;      // while some rank waited in a collective for others
    std::vector<Picoseconds> last_end_;  // of a node, by rank
    std::vector<Operations> operations_;
    std::uint64_t nodes_finished_ = 0;
    NodeLog* log_ = nullptr;
    std::size_t releasing_ = NodeLog::none;  // record of the node whose end lets others start just now
    std::size_t last_ended_ = NodeLog::none;
};

}  // namespace weft
