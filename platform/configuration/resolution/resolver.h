// The stages of resolve(), private to platform/configuration.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "platform/configuration/parameters/old_names.h"
#include "platform/configuration/parameters/selector.h"
#include "platform/configuration/resolution/link_choice.h"
#include "platform/configuration/resolution/resolve.h"
#include "platform/configuration/tables/node_table.h"
#include "platform/configuration/tables/profile.h"

namespace weft {

class Resolver {
public:
    Resolver(const SystemDescription& description, std::shared_ptr<const Graph> graph, const KnownNames& known);

    ResolvedSystem run();

private:
    // The contribution of an edge to the share of its accelerator's links.
    struct Share {
        const Profile* profile = nullptr;  // nullptr: the edge is no part of a scale-up fabric
        std::uint32_t edges = 0;           // of that accelerator, which share
        std::uint64_t links = 0;           // so many links; 0: nobody knows how many the accelerator has
        bool described = false;            // the document says how many are this edge, and there are as many

        // For looking up only: nothing follows from this order.
        bool operator<(const Share& other) const
        {
            if (profile != other.profile) return std::less<>()(profile, other.profile);
            return std::tie(edges, links, described) < std::tie(other.edges, other.links, other.described);
        }
    };
    // The scale-up edges of an accelerator, whatever their links are called.
    struct FabricEdges {
        std::uint32_t all = 0;
        std::uint32_t described = 0;  // those whose description says how many links they are
        std::uint64_t links = 0;      // of these, together
    };

    // node_roles.cpp
    void assign_roles();
    void choose_kinds();
    void bind_kind(NodeId node, const NodeRow& row);
    const NodeRow* known_kind(const std::string& name, const std::string& file, int line);
    Variant switch_defaults(const NodeRow* row);
    static bool has_memory(NodeRole role) { return role == NodeRole::endpoint || role == NodeRole::memory; }
    std::vector<NodeId> with_memory() const;  // endpoints, then memories
    void assign_ranks();
    std::vector<NodeId> selected(const NodeSelector& selector) const;
    bool matches(NodeId id, const NodeSelector& selector) const;
    // The selector, or that for one number of its glob, which none of `nodes` fits; empty where all are met.
    std::string unmatched(const NodeSelector& selector, const std::vector<NodeId>& nodes) const;
    static const std::string& description_of(const Node& node);

    // node_models.cpp
    void choose_profiles();
    void choose_models();
    void make_nodes();
    // Blocks that models bring.
    void make_model_blocks();

    // resolve.cpp
    void keep_rows();
    SourceId source(ValueSource from);
    std::uint32_t name_index(const std::string& name);
    Variant defaults(Block block) const;
    void apply(Variant& variant, const Figures& figures, const std::string& prefix, const std::string& file = "");
    void apply(Variant& variant, const Figures& figures, const Profile& profile);
    VariantPool& pool(Block block) { return system_.pools_[ResolvedSystem::index(block)]; }
    void problem(const std::string& file, int line, std::string what, std::string expected = "");

    // choose_links.cpp
    void read_protocols();
    void read_protocol(const Assignment& assignment);
    void choose_links();
    LinkChoice choice_for(EdgeId id, const LinkKind* named) const;
    std::uint32_t choice_index(LinkChoice choice);
    const LinkChoice& choice_of(EdgeId edge) const { return choices_[choice_of_[edge]]; }
    // The row of the link table; its fallback where nothing chooses one.
    const LinkKind& kind_of(EdgeId edge) const;
    std::string_view kind_of_node(NodeId node) const;
    const std::string& description_of(EdgeId edge) const;
    // Which switches belong to the scale-up fabric of which profile: those at an accelerator's scale-up links, and those
    // that scale-up links join to them.
    void find_fabric();
    void grow_fabric(std::vector<NodeId> front);
    bool extends_fabric(NodeId node) const;

    // assume.cpp
    void list_assumptions();
    void assume_profiles();
    void assume_links();
    std::string unread_of(const LinkKind& kind, EdgeId edge, std::uint64_t taken) const;
    void assume_nodes();
    void assume_combining();
    void assume_routing();
    Assumption& assumption(const std::string& key, Assumption fresh);
    int declared_line(NodeId node) const;

    // resolve_links.cpp
    void make_links();
    Share share_of(NodeId node, EdgeId edge);
    std::uint64_t links_described(EdgeId edge);
    VariantId make_link(EdgeId edge, const Share& a, const Share& b);
    ValueSource origin_of(EdgeId edge, bool bandwidth) const;
    void tell_contradiction(const LinkKind& kind, EdgeId edge, std::uint64_t transfers);
    void apply_document(Variant& variant, EdgeId edge);
    void size_credits();
    bool is_inferred(EdgeId edge, VariantId variant, std::size_t parameter);
    std::uint64_t dwell(NodeId node) const;
    bool passes_on(NodeId node) const;
    void note_once(const std::string& text);

    // overrides.cpp
    void apply_annotations();
    void apply_annotation(const Attribute& attribute, Block block, VariantId& variant);
    void apply_assignment(const Assignment& said);
    bool is_of_instance_links(const std::string& path) const;
    bool assign(const Selector& selector, const Assignment& assignment);
    void explain_no_match(const Selector& selector, const Assignment& assignment);
    // As checked_value(); a parameter that chooses a model takes any of the registry. `said`: where the text is from.
    std::optional<std::uint64_t> value_of(Block block, std::size_t parameter, const Assignment& said,
        ValueProblem& wrong);
    std::optional<std::uint64_t> model_value(const std::string& path, const std::string& kind, const Assignment& said,
        ValueProblem& wrong);
    const BlockTable& blocks() const { return *system_.blocks_; }
    // The variant of every instance of `block`, with the name of the instance on request.
    std::vector<VariantId>& instances(Block block) { return system_.variants_[ResolvedSystem::index(block)]; }
    std::vector<std::string> node_blocks() const;
    std::vector<std::string> instance_names(Block block, std::size_t index) const;

    // checks.cpp
    void check_values();
    // Values that do not go together, at the user's last word among them.
    void problem_between(const std::vector<SourceId>& values, std::string what, std::string expected);
    void check_caches(NodeId node);
    void check_links();
    void check_power_of_two(Block block, const char* parameter, const char* expected);

    const SystemDescription& description_;
    const Graph& graph_;
    const KnownNames& known_;
    ResolvedSystem system_;
    ProfileStore profiles_;
    OldNames old_names_;
    std::vector<Diagnostic> problems_;
    std::map<std::tuple<std::string, std::string, int, std::string, int>, SourceId> source_ids_;  // by text and places
    std::map<std::string, std::uint32_t> name_ids_;
    std::vector<const Profile*> profile_of_;  // by node; nullptr: no endpoint
    std::vector<const NodeRow*> row_of_;      // by node
    std::vector<bool> bound_kind_;            // by node: its row is named by a binding or an annotation
    std::vector<LinkChoice> choices_;
    std::vector<std::uint32_t> choice_of_;         // by edge, into choices_
    std::vector<const LinkKind*> named_protocol_;  // by edge; empty: none is named
    std::vector<const Profile*> fabric_of_;        // by node: profile whose scale-up fabric a switch belongs to
    std::vector<bool> second_tier_;                // by node: through other switches only
    std::map<std::string, std::size_t> assumption_ids_;
    std::vector<bool> by_description_;                      // by node: nobody names its profile
    std::map<const Component*, std::string> open_profile_;  // why the profile by description is a choice
    std::map<NodeId, FabricEdges> fabric_edges_;            // by accelerator
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> links_described_;  // by edge kind, choice
    std::map<std::tuple<std::uint32_t, std::uint32_t, Share, Share>, VariantId>
        link_variants_;  // by edge kind, choice, shares
};

}  // namespace weft
