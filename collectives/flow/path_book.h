// Links and paths of a fabric for transfers at flow fidelity. A path is made when a pair of ranks is first asked for, so memory
// follows the pairs that talk, not the square of the ranks.
//
// Links that all transfers so far have passed together, with the same share each, are one LinkGroup with one clock: a packet
// spray over 256 equal links is one booking. This is exact, because their clocks are equal. When a path takes only some of a
// group's links, the group is split and both parts go on from the clock that they had.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/flow/flat_map.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

struct FlowStage {
    std::uint64_t before_ps = 0;  // from the stage before, or the sender
    std::uint64_t left_ps = 0;    // behind this stage, over the later ones
    std::uint32_t first = 0;      // of shares
    std::uint32_t count = 0;
};

// A part of a transfer on each link of a group.
struct GroupShare {
    std::uint32_t group = 0;
    double share = 1;
};

struct FlowPath {
    std::uint32_t first = 0;  // of stages
    std::uint32_t stages = 0;
    std::uint32_t from = 0;  // endpoints
    std::uint32_t to = 0;
    bool neighbours = false;
    std::uint64_t put_ps = 0;
    std::uint64_t answer_ps = 0;
    std::uint64_t head_ps = 0;  // the sender to the last stage
};

struct LinkGroup {
    std::uint64_t free_ps = 0;
    std::uint64_t signals_free_ps = 0;  // of signals among themselves
    std::uint64_t answers_free_ps = 0;  // of acknowledges among themselves
    double ps_per_byte = 0;
    double back_ps_per_byte = 0;
    double buffer = 0;
    std::uint32_t figures = 0;                 // link that has them all
    double busy_ps = 0;                        // of each link
    double payload = 0;                        // bytes, of each link
    std::uint32_t sender = ~std::uint32_t{0};  // of what has passed since the links were idle
    bool mixed = false;                        // some of it came from another rank
    std::uint32_t path = ~std::uint32_t{0};    // of what has passed since the links were idle
    bool several_paths = false;                // some of it was on another path
    bool split = false;                        // `parts` stand for it
    bool has_reverse = false;                  // `reverse` is known
    bool used = false;                         // a path has it
    bool shared = false;                       // several have, or something goes back on it
    std::vector<std::uint32_t> reverse;        // groups of the other directions
    std::vector<std::uint32_t> parts;
    std::vector<std::uint32_t> members;  // links
};

class PathBook {
public:
    // Fills the path between two ranks; links may be added to the vector that the book was made with.
    using Source = std::function<CostPath(std::uint32_t from, std::uint32_t to)>;

    // `links` must outlive the book.
    PathBook(const std::vector<CostLink>& links, Source source) : links_(links), source_(std::move(source)) {}

    // Number of the path. Throws InputError where the source does, and where there is no way.
    std::uint32_t find(std::uint32_t from, std::uint32_t to);
    // Number of a path that is not between two ranks.
    std::uint32_t add(const CostPath& made);
    const FlowPath& path(std::uint32_t number) const { return paths_[number]; }
    const FlowStage& stage(const FlowPath& path, std::uint32_t at) const { return stages_[path.first + at]; }
    const GroupShare& share(std::uint32_t number) const { return shares_[number]; }
    // Everything that is known of one of a group's links, which are alike.
    const CostLink& figures(const LinkGroup& group) const { return links_[group.figures]; }
    LinkGroup& group(std::uint32_t number) { return groups_[number]; }
    const LinkGroup& group(std::uint32_t number) const { return groups_[number]; }
    // Whether the path is one link that no other pair of ranks has used so far, and on which nothing goes back.
    bool alone(std::uint32_t number) const
    {
        const FlowPath& path = paths_[number];
        if (path.stages != 1 || stages_[path.first].count != 1) return false;
        const LinkGroup& group = groups_[shares_[stages_[path.first].first].group];
        return !group.shared && !group.split && group.back_ps_per_byte <= 0;
    }
    // Links of a group and of its parts.
    double size(std::uint32_t number) const;
    // Groups of the other directions of a group's links, made when first asked for.
    const std::vector<std::uint32_t>& reverse_of(std::uint32_t group);

    // Time that a link was occupied, and payload that passed it, so far.
    double busy_ps(std::uint32_t link) const;
    double payload(std::uint32_t link) const;

    std::size_t paths() const { return paths_.size(); }
    std::size_t groups() const { return groups_.size(); }
    std::size_t links() const { return links_.size(); }

private:
    static constexpr std::uint32_t no_group = ~std::uint32_t{0};

    // Groups that together have exactly these links; existing groups are split where they have others as well.
    std::vector<GroupShare> cover(const std::vector<LinkShare>& links);
    std::uint32_t new_group(const std::vector<std::uint32_t>& members);
    std::uint32_t split_off(std::uint32_t group, const std::vector<std::uint32_t>& members);
    std::uint32_t group_of(std::uint32_t link) const { return link < group_of_.size() ? group_of_[link] : no_group; }

    const std::vector<CostLink>& links_;
    Source source_;
    FlatMap numbers_;  // from << 32 | to
    std::vector<FlowPath> paths_;
    std::vector<FlowStage> stages_;
    std::vector<GroupShare> shares_;
    std::vector<LinkGroup> groups_;
    std::vector<std::uint32_t> group_of_;  // by link
};

// The paths of a cost graph, which must outlive the book.
PathBook book_of(const CostGraph& graph);

}  // namespace weft
