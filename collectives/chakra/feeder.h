// Hands out the nodes of one rank's trace as their dependencies finish. The file is read on demand, always so far that
// every free node is known (read_ahead.h): what is handed out does not depend on the order of the nodes in the file. In
// memory are the nodes read and not finished, and the finished ids as intervals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectives/chakra/id_set.h"
#include "collectives/chakra/node.h"
#include "collectives/chakra/node_reader.h"
#include "collectives/chakra/read_ahead.h"

namespace weft::chakra {

struct FeederOptions {
    bool control = true;  // resolve control dependencies beside data dependencies
    // How far to read; null: all of the file at once.
    std::shared_ptr<const ReadAhead> read_ahead;
    std::size_t least = 64;  // nodes to hold while the file has more, for reports of who waits for what
    // Parents to take as finished: those that the file does not hold. May be null.
    std::shared_ptr<const IdSet> absent;
};

// One bit per Resource.
using ResourceMask = std::uint8_t;
constexpr ResourceMask all_resources = (1U << resource_count) - 1;
constexpr ResourceMask mask_of(Resource resource)
{
    return static_cast<ResourceMask>(1U << static_cast<unsigned>(resource));
}

// A node that waits, for reports of a stall.
struct WaitingNode {
    std::uint64_t id = 0;
    std::string name;
    NodeType type = NodeType::invalid;
    int line = 0;
    std::vector<std::uint64_t> parents;  // unfinished, ascending, each once
};

class Feeder {
public:
    explicit Feeder(std::unique_ptr<NodeReader> reader, FeederOptions options = {});

    // Takes the free node with the lowest id among those whose resource is in `allowed`; false when
    // there is none now. Throws InputError when the file turns out to be damaged.
    bool next(Node& node, ResourceMask allowed = all_resources);

    // A node that next() gave has finished: its children may become free.
    void finish(std::uint64_t id);

    // next() would hand out a node of this resource.
    bool is_ready(Resource resource) const { return !ready_[static_cast<std::size_t>(resource)].empty(); }

    // Everything was handed out and has finished.
    bool done() const;

    std::size_t in_flight() const { return in_flight_.size(); }
    std::size_t window_size() const { return waiting_.size() + ready_count_ + in_flight_.size(); }
    std::size_t peak_window_size() const { return peak_; }
    std::uint64_t nodes_read() const { return read_; }

    // Up to `limit` nodes that wait for parents, ascending by id.
    std::vector<WaitingNode> waiting(std::size_t limit = 16) const;

private:
    struct Waiting {
        Node node;
        std::size_t unfinished = 0;  // distinct parents
    };

    void fill();
    bool read_one();
    bool is_known(std::uint64_t id) const;
    std::vector<std::uint64_t> unfinished_parents(const Node& node) const;
    void make_ready(Node node);

    std::unique_ptr<NodeReader> reader_;  // null at the end of the file
    std::string file_;
    FeederOptions options_;
    std::uint64_t needed_;  // nodes to have read
    IdSet finished_;
    std::map<std::uint64_t, Waiting> waiting_;
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> children_;  // by unfinished parent
    std::array<std::map<std::uint64_t, Node>, resource_count> ready_;         // by resource, then id
    std::size_t ready_count_ = 0;
    std::set<std::uint64_t> in_flight_;
    std::size_t peak_ = 0;
    std::uint64_t read_ = 0;
};

}  // namespace weft::chakra
