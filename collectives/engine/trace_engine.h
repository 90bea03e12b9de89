// Runs a Chakra trace set: one feeder per rank hands out nodes as their parents finish, the engine starts
// them as resources allow.
//
//   compute               recorded duration, else roofline of num_ops and tensor_size, else 1 ns
//   memory                reads or writes tensor_size bytes of the rank's own memory
//   send, receive         matched by (source, destination, tag), first in first out; a send is a put into a
//                         buffer of the receiver and does not wait for it
//   collective            matched by order of issue within its group; the built-in algorithm of `algorithms`
//   metadata, invalid     finish at once
//
// In flight per rank: one CPU node, `compute_in_flight` compute nodes, `communication_in_flight` collectives,
// sends and memory nodes; receives are not limited.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collectives/chakra/validate.h"
#include "collectives/engine/engine_spec.h"
#include "collectives/engine/executor.h"

namespace weft {

struct TraceRequest {
    std::vector<std::uint32_t> members;  // endpoint of each rank of the trace
    std::string algorithm;               // empty or unknown to an operation: its default
    bool roofline = false;               // roofline even where a duration is recorded
};

class TraceEngine {
public:
    // `set` must outlive the engine; `verdict` comes from chakra::validate.
    TraceEngine(Executor& executor, const chakra::TraceSet& set, chakra::Verdict verdict, const EngineSpec& spec,
        TraceRequest request);

    void start();
    bool finished() const;
    // Reads further ahead on every rank; false when that cannot free anything.
    bool look_further();
    // When each rank's last node finished.
    const std::vector<Picoseconds>& finish_times() const { return finish_; }
    std::uint64_t nodes_finished() const { return nodes_finished_; }
    // Who waits for what: nodes in flight and nodes without a free parent, one line each.
    std::vector<std::string> blocked() const;

private:
    struct Flight {  // a node that has been started
        chakra::Node node;
        std::uint32_t rank = 0;
    };
    struct Exchange {  // a transfer or collective that some of its ranks have reached
        Executor::JobId job = 0;
        std::uint32_t arrived = 0;
        std::vector<bool> here;  // by position: has arrived
        std::uint64_t bytes = 0;
        chakra::CollectiveType type = chakra::CollectiveType::all_reduce;
    };
    using GroupKey = std::vector<std::uint32_t>;  // members in order
    struct PairKey {
        std::uint32_t source;
        std::uint32_t destination;
        std::int64_t tag;
        bool operator<(const PairKey& other) const
        {
            return std::tie(source, destination, tag) < std::tie(other.source, other.destination, other.tag);
        }
    };
    struct Group {
        std::vector<std::uint64_t> issued;    // by position
        std::map<std::uint64_t, Exchange> open;  // by number of the instance
    };
    struct Pair {
        std::uint64_t sends = 0;
        std::uint64_t receives = 0;
        std::map<std::uint64_t, Exchange> open;
    };

    void pump(std::uint32_t rank);
    void begin(std::uint32_t rank, chakra::Node node);
    void end(std::uint32_t rank, std::uint64_t node);
    void begin_collective(std::uint32_t rank, const chakra::Node& node);
    void begin_transfer(std::uint32_t rank, const chakra::Node& node);
    std::uint64_t in_range(std::uint32_t rank, const chakra::Node& node,
        const std::function<std::uint64_t()>& figure) const;
    Picoseconds compute_time(std::uint32_t rank, const chakra::Node& node) const;
    chakra::ResourceMask allowed(std::uint32_t rank) const;
    std::shared_ptr<const Schedule> schedule_for(CollectiveOp op, std::uint32_t ranks);
    static ElementType element_for(std::uint64_t bytes);

    Executor& executor_;
    const chakra::TraceSet& set_;
    chakra::Verdict verdict_;
    EngineSpec spec_;
    TraceRequest request_;
    std::vector<chakra::Feeder> feeders_;
    std::vector<std::array<std::uint32_t, chakra::resource_count>> in_flight_;
    std::vector<std::map<std::uint64_t, chakra::Node>> running_;  // by rank, then id
    std::vector<bool> pumping_;
    std::vector<bool> pump_again_;
    std::map<GroupKey, Group> groups_;
    std::map<PairKey, Pair> pairs_;
    std::map<std::pair<CollectiveOp, std::uint32_t>, std::shared_ptr<const Schedule>> schedules_;
    std::vector<Picoseconds> finish_;
    std::uint64_t nodes_finished_ = 0;
};

}  // namespace weft
