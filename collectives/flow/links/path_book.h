// Links and paths of a fabric for transfers at flow fidelity. A path is made when a pair of ranks is first asked for, so memory
// follows the pairs that talk, not the square of the ranks.
//
// Links that all transfers so far have passed together, with the same share each, are one LinkGroup with one clock: a packet
// spray over 256 equal links is one booking. This is exact, because their clocks are equal. When a path takes only some of a
// group's links, the group is split and both parts go on from the clock that they had.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "collectives/flow/links/flat_map.h"
#include "collectives/synthesis/cost_graph.h"

namespace weft {

// One group of links, or several that transfers pass side by side.
struct FlowStage {
    std::uint64_t before_ps = 0;  // from the stage before, or the sender
    std::uint64_t left_ps = 0;    // behind this stage, over the later ones
    double share = 1;             // of one group
    std::uint32_t first = 0;      // the group; of several: the first of their shares
    std::uint32_t count = 0;      // of groups
    std::uint32_t set = 0;        // of virtual channels, on one group
};

// A part of a transfer on each link of a group.
struct GroupShare {
    std::uint32_t group = 0;
    double share = 1;
    std::uint32_t set = 0;  // of virtual channels
};

struct FlowPath {
    std::uint32_t first = 0;  // of stages
    std::uint32_t stages = 0;
    std::uint32_t from = 0;  // endpoints
    std::uint32_t to = 0;
    std::uint64_t put_ps = 0;
    std::uint64_t answer_ps = 0;
    std::uint64_t head_ps = 0;  // the sender to the last stage
    bool neighbours = false;
    // Network cards that its lines take side by side, or 1: each starts a message of those that come to it.
    std::uint32_t cards = 1;
};

// The clock of a group of links and what every transfer changes, in one host cache line: of a large system most of them are in
// no cache when their transfer comes.
struct alignas(64) LinkGroup {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::uint32_t unknown = none - 1;
    static constexpr std::uint32_t several = none - 2;

    std::uint64_t free_ps = 0;
    std::uint64_t signals_free_ps = 0;  // of signals among themselves
    std::uint64_t answers_free_ps = 0;  // of acknowledges among themselves
    double busy_ps = 0;                 // of each link
    double payload = 0;                 // bytes, of each link
    std::uint32_t figures = 0;          // of its links, which are alike
    std::uint32_t sender = none;        // of what has passed since the links were idle
    std::uint32_t path = none;          // of what has passed since the links were idle
    std::uint32_t reverse = unknown;    // group of the other directions
    bool mixed = false;                 // some of it came from another rank
    bool several_paths = false;         // some of it was on another path
    bool split = false;                 // parts stand for it
    bool crossed = false;               // paths pass its links beside other ones, or fewer
    bool shared = false;                // several have, or something goes back on it
    bool through = false;               // of a path that passes ranks
    bool queued = false;                // transfers wait for their turn (input_turns.h)
    bool merges = false;                // paths that begin with different links
};
static_assert(sizeof(LinkGroup) == 64, "the clock of a link is one cache line of the host");

class PathBook {
public:
    // Fills the path between two ranks; links may be added to the vector that the book was made with.
    using Source = std::function<CostPath(std::uint32_t from, std::uint32_t to)>;

    // `links` must outlive the book.
    PathBook(const std::vector<CostLink>& links, Source source) : links_(links), source_(std::move(source)) {}

    // Each link of paths that pass ranks is a group by itself from now on: each has a queue of its own (flow_buffers.h).
    void keep_apart() { apart_ = true; }
    // One clock for links that have the same traffic: by link, the one whose clock it has. Before the first path.
    void fold(std::vector<std::uint32_t> stands_for) { stands_for_ = std::move(stands_for); }
    // Whether two links have the same figures.
    static bool alike(const CostLink& a, const CostLink& b) { return figures_array(a) == figures_array(b); }
    // Number of the path. Throws InputError where the source does, and where there is no way.
    std::uint32_t find(std::uint32_t from, std::uint32_t to);
    // The way of answers to what goes by this path between two ranks: its links back. Where find() of the other end has the same
    // links, that path.
    std::uint32_t back(std::uint32_t number);
    // Number of a path that is not between two ranks; `counts`: among those that take turns (FlowLinks).
    std::uint32_t add(const CostPath& made, bool counts = true);
    const FlowPath& path(std::uint32_t number) const { return paths_[number]; }
    const FlowStage& stage(const FlowPath& path, std::uint32_t at) const { return stages_[path.first + at]; }
    const FlowStage& stage(std::uint32_t number) const { return stages_[number]; }
    const GroupShare& share(std::uint32_t number) const { return shares_[number]; }
    double ps_per_byte(std::uint32_t path) const;  // of stored data, at its slowest link
    // Whether what goes from the same rank to `to` passes the first link of this path, or one like it. Adds no path.
    bool begins_as(std::uint32_t path, std::uint32_t to) const;
    // Rates and latencies that the links of the group have in common; `name` and `reverse` are left empty.
    const CostLink& figures(const LinkGroup& group) const { return figures_[group.figures]; }
    // Calls `visit` for each of its links.
    template <class Visit>
    void for_links(std::uint32_t group, Visit visit) const
    {
        for (const std::uint32_t member : sets_[group].members) visit(member, links_[member]);
    }
    // One of its links.
    const CostLink& link_of(std::uint32_t group) const { return links_[sets_[group].members.front()]; }
    LinkGroup& group(std::uint32_t number) { return groups_[number]; }
    const LinkGroup& group(std::uint32_t number) const { return groups_[number]; }
    // Whether the path is one link that no other pair of ranks has used so far, and on which nothing goes back.
    bool alone(std::uint32_t number) const
    {
        const FlowPath& path = paths_[number];
        if (path.stages != 1 || stages_[path.first].count != 1) return false;
        const std::uint32_t group = stages_[path.first].first;
        return still_alone(group) && figures(groups_[group]).back_ps_per_byte <= 0;
    }
    // The same of the group of a path that was alone() once, with one look at the host's memory.
    bool still_alone(std::uint32_t group) const { return !groups_[group].shared && !groups_[group].split; }
    // The same, whatever parts the group is in.
    std::uint32_t first_link(std::uint32_t group) const { return sets_[group].first_link; }
    // How many paths pass a group of links.
    std::uint32_t paths_of(std::uint32_t group) const { return sets_[group].paths; }
    // Links of a group and of its parts.
    double size(std::uint32_t number) const;
    // Bytes for which the buffers behind the links of a group have room.
    double room_behind(std::uint32_t group) const { return size(group) * figures(groups_[group]).buffer; }
    // The groups into which a group was split; empty for one that is whole.
    const std::vector<std::uint32_t>& parts(std::uint32_t group) const { return sets_[group].parts; }
    // Calls `visit` for each group of the other directions of a group's links, which are made when first asked for.
    template <class Visit>
    void for_reverse_of(std::uint32_t group, Visit visit)
    {
        if (groups_[group].reverse == LinkGroup::unknown) find_reverse(group);
        const std::uint32_t reverse = groups_[group].reverse;
        if (reverse == LinkGroup::none) return;
        if (reverse != LinkGroup::several) return visit(reverse);
        for (std::size_t i = 0; i < sets_[group].reverse.size(); ++i) visit(sets_[group].reverse[i]);
    }
    // Brings what a transfer at this stage needs into the host's caches, in the order of these calls.
    [[gnu::always_inline]] void prefetch_stage(std::uint32_t number) const { __builtin_prefetch(&stages_[number]); }
    [[gnu::always_inline]] void prefetch_group(std::uint32_t stage) const
    {
        if (stages_[stage].count == 1) __builtin_prefetch(&groups_[stages_[stage].first], 1);
    }
    [[gnu::always_inline]] void prefetch_reverse(std::uint32_t stage) const
    {
        if (stages_[stage].count != 1) return;
        const std::uint32_t reverse = groups_[stages_[stage].first].reverse;
        if (reverse < groups_.size()) __builtin_prefetch(&groups_[reverse], 1);
    }

    // Time that a link was occupied, and payload that passed it, so far.
    double busy_ps(std::uint32_t link) const;
    double payload(std::uint32_t link) const;

    // The group of which it is a part; LinkGroup::none for one that has never been part of another.
    std::uint32_t whole_of(std::uint32_t group) const { return sets_[group].split_from; }
    // Calls `visit` for the group of a link, and for those that this was split from.
    template <class Visit>
    void for_history(std::uint32_t link, Visit visit) const
    {
        for (std::uint32_t group = group_of(clock_of(link)); group != no_group; group = sets_[group].split_from)
            visit(group);
    }

    std::size_t paths() const { return paths_.size(); }
    std::size_t groups() const { return groups_.size(); }
    std::size_t links() const { return links_.size(); }

private:
    static constexpr std::uint32_t no_group = LinkGroup::none;
    // The lists of a group, apart from LinkGroup so that this stays one cache line.
    struct LinkSet {
        std::vector<std::uint32_t> members;  // links
        std::vector<std::uint32_t> parts;
        std::vector<std::uint32_t> reverse;   // where there are several
        std::uint32_t paths = 0;              // that pass it
        std::uint32_t first_link = no_group;  // that has ever been in it
        std::uint32_t begins = no_group;      // link that the first path begins with
        std::uint32_t split_from = no_group;
        std::uint32_t beside = no_group;  // set of links that the first path passes side by side with these
    };

    using Figures = std::array<double, 19>;
    static Figures figures_array(const CostLink& link);

    std::uint32_t add_between(std::uint32_t from, std::uint32_t to, const CostPath& made);
    // Groups that together have exactly these links; existing groups are split where they have others as well.
    std::vector<GroupShare> cover(const std::vector<LinkShare>& links, bool apart = false);
    // Network cards that links side by side are behind.
    std::uint32_t cards_of(const std::vector<LinkShare>& links) const;
    // Notes which links a stage passes side by side.
    void pass_beside(const std::vector<GroupShare>& shares, std::size_t links);
    std::uint32_t new_group(const std::vector<std::uint32_t>& members);
    std::uint32_t split_off(std::uint32_t group, const std::vector<std::uint32_t>& members);
    void find_reverse(std::uint32_t group);
    std::uint32_t figures_of(std::uint32_t link);
    std::uint32_t clock_of(std::uint32_t link) const { return link < stands_for_.size() ? stands_for_[link] : link; }
    std::uint32_t group_of(std::uint32_t link) const { return link < group_of_.size() ? group_of_[link] : no_group; }

    const std::vector<CostLink>& links_;
    Source source_;
    bool apart_ = false;
    std::vector<std::uint32_t> stands_for_;  // empty: each for itself
    FlatMap numbers_;                        // from << 32 | to
    std::vector<FlowPath> paths_;
    std::vector<std::uint32_t> backs_;  // by path
    std::pair<std::uint32_t, CostPath> latest_{no_group,
        {}};  // path that was made last, which back() is often asked for
    std::vector<FlowStage> stages_;
    std::vector<GroupShare> shares_;
    std::vector<LinkGroup> groups_;
    std::vector<LinkSet> sets_;         // by group
    std::vector<std::size_t> besides_;  // by set of links that stages pass side by side: how many they are
    std::vector<CostLink> figures_;     // each once
    std::map<Figures, std::uint32_t> numbers_of_figures_;
    std::vector<std::uint32_t> group_of_;  // by link
};

// The paths of a cost graph, which must outlive the book.
PathBook book_of(const CostGraph& graph);

}  // namespace weft
