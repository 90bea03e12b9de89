// Turns of those who send over one link, in place of the order in which their transfers come.
//
// A switch serves its inputs in turn. Where a link is the bottleneck the buffers in front of it are full, and each switch on the
// way to it shares what comes through among its own inputs: who comes by a link of its own gets as much as all those together who
// share another. So what waits for a link is a tree: the links that lead to it, those that lead to these, up to the senders. Each
// holds as much as the buffer behind it, in the order in which it came there; senders hold the rest. When there is room, the branch
// that has been given least is next (start-time fair queueing, by bytes). A packet is not interrupted.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/flow/links/flat_map.h"
#include "collectives/flow/links/path_book.h"

namespace weft {

class InputTurns {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit InputTurns(const PathBook& book) : book_(book) {}

    // Whether something waits for the link.
    bool waits(std::uint32_t group) const { return group < queued_.size() && queued_[group] > 0; }
    // The part of `transfer` that passes each link of `group`, one of the stage at place `at` of the path `number`, waits for it.
    void add(std::uint32_t number, std::uint32_t at, const GroupShare& group, std::uint32_t transfer, double bytes);
    struct Turn {
        std::uint32_t transfer = none;
        double share = 1;  // of it, on each link of the group
    };
    // Whose turn it is, and no longer waits. Something must.
    Turn next(std::uint32_t group);

private:
    struct Node {
        std::uint32_t from = none;  // link that leads here
        std::uint32_t parent = none;
        std::uint32_t first = none;  // transfers in the buffer behind that link
        std::uint32_t last = none;
        double held = 0;                   // their bytes
        double capacity = 0;               // bytes; of a sender without meaning
        double given = 0;                  // in the count of the parent's bytes: where its last transfer ended
        double turn = 0;                   // bytes that its branches have been given: where the last transfer began
        double packet = 0;                 // bytes of the longest one of the link at the root
        double filled = 0;                 // of the last one
        std::uint32_t last_path = none;    // that a branch has sent by
        std::uint32_t last_branch = none;  // that has sent
        std::vector<std::uint32_t> branches;
    };
    struct Waiting {
        std::uint32_t next = none;
        double bytes = 0;
        double share = 1;
        std::uint32_t path = none;
        std::uint32_t transfer = none;
    };

    std::uint32_t sender_of(const FlowPath& path, std::uint32_t at, std::uint32_t group);
    std::uint32_t new_sender(const FlowPath& path, std::uint32_t at, std::uint32_t group);
    std::uint32_t branch(std::uint32_t node, std::uint32_t from);
    std::uint32_t link_of(const FlowStage& stage) const;
    double room_behind(const FlowStage& stage) const;
    std::uint32_t choose(std::uint32_t node) const;
    std::uint32_t take(std::uint32_t node);
    void fill(std::uint32_t node);
    void append(std::uint32_t node, std::uint32_t transfer);
    void serve(std::uint32_t branch, double bytes, std::uint32_t path);

    const PathBook& book_;
    std::vector<std::uint32_t> roots_;    // by group
    std::vector<std::uint32_t> queued_;   // by group: transfers
    std::vector<std::uint32_t> senders_;  // by stage of one group: node of the sender at its link
    FlatMap senders_of_parts_;            // the same by stage and group, where a stage is several groups
    std::vector<Node> nodes_;
    std::vector<Waiting> waiting_;
    std::vector<std::uint32_t> free_waiting_;
};

}  // namespace weft
