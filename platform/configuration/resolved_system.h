// A system with every parameter of every module decided, each value with where it comes from.
//
// Nodes of type xpu are endpoints; nodes of type memory are pools that they can use; other nodes that lines may pass
// through have a `switch` block, and so do endpoints, for traffic that passes them. Identical combinations of values are held once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/engine_spec.h"
#include "gpu/interface/dma_spec.h"
#include "gpu/interface/gpu_spec.h"
#include "gpu/interface/network_spec.h"
#include "infragraph/graph.h"
#include "platform/configuration/assumption.h"
#include "platform/configuration/parameters/blocks.h"
#include "platform/configuration/parameters/routing_spec.h"
#include "platform/configuration/parameters/variants.h"
#include "platform/configuration/system_file.h"
#include "sc_models/l1_spec.h"
#include "sc_models/l2/l2_spec.h"
#include "sc_models/memory/hbm_spec.h"
#include "sc_models/memory_side_spec.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

struct LinkKind;
struct NodeRow;

enum class NodeRole : std::uint8_t { endpoint, memory, forwarder, passive };

// Where a value comes from, as text and, for values of users, as a place.
struct ValueSource {
    std::string text;
    std::string file;  // where it is set for this system: the document, a system file, the command line
    int line = 0;
    // Where a user's profile states it: a figure of the part, which nobody has set for this system.
    std::string profile_file = {};
    int profile_line = 0;
};

class ResolvedSystem {
public:
    std::string name;
    std::string infrastructure;  // path of the InfraGraph document
    std::string file;            // of the system file; empty without one
    std::uint64_t seed = 1;
    Workload workload;
    std::vector<std::string> notices;
    std::vector<std::string> old_names;   // notices of those that were read (old_names.h); in no result
    std::vector<Assumption> assumptions;  // of all parts; assumptions_among() picks those of a run

    const Graph& graph() const { return *graph_; }
    NodeRole role(NodeId node) const { return nodes_[node].role; }
    // Rows of the tables that what the document says of the node or the edge selects; null: no row of the node table.
    const NodeRow* row(NodeId node) const { return nodes_[node].row; }
    const LinkKind& link_kind(EdgeId edge) const { return *link_kinds_[edge]; }
    // Nodes in rank order: by the annotation `rank`, else in the order of the document.
    const std::vector<NodeId>& endpoints() const { return endpoints_; }
    // Nodes of type memory that have a link, in the order of the document. They have the blocks of an endpoint, of
    // which `network`, `l2`, `hbm` and the routes between ports and slices in `gpu` count.
    const std::vector<NodeId>& memories() const { return memories_; }

    // Name of the model in the registry: of kind "gpu" for endpoints, "switch" for forwarders.
    const std::string& model(NodeId node) const { return names_[nodes_[node].model]; }
    // For a replay GPU: path of its profile of traffic, empty without one.
    const std::string& traffic(NodeId node) const { return names_[nodes_[node].traffic]; }
    const std::string& profile(NodeId node) const { return names_[nodes_[node].profile]; }  // endpoints, memories

    // Every block of parameters that a node has, or an edge with the link that stands for it; a bandwidth must be known.
    ParameterSet parameters(NodeId node) const;
    ParameterSet link_parameters(EdgeId edge) const;
    // One of them, which is there.
    template <class Spec>
    const Spec& get(NodeId node) const
    {
        return spec<Spec>(variant(node, block_of<Spec>()));
    }

    // Blocks that much code reads, by a short name.
    const GpuSpec& gpu(NodeId node) const { return get<GpuSpec>(node); }
    const NetworkSpec& network(NodeId node) const { return get<NetworkSpec>(node); }
    const L1Spec& l1(NodeId node) const { return get<L1Spec>(node); }
    const L2Spec& l2(NodeId node) const { return get<L2Spec>(node); }
    const MemorySideSpec& memory_side(NodeId node) const { return get<MemorySideSpec>(node); }
    const HbmSpec& hbm(NodeId node) const { return get<HbmSpec>(node); }
    const CopySpec& copy(NodeId node) const { return get<CopySpec>(node); }
    const BulkSpec& bulk(NodeId node) const { return get<BulkSpec>(node); }
    const SwitchSpec& switch_of(NodeId node) const { return get<SwitchSpec>(node); }
    // Throws InputError when nothing says what the bandwidth is.
    const LinkSpec& link(EdgeId edge) const;
    // Name of the model in the registry, of kind "link".
    const std::string& link_model(EdgeId edge) const { return models_of("link")[link(edge).model]; }
    // The same of kind "slice": what stands for the slices of its L2.
    const std::string& slice_model(NodeId node) const { return models_of("slice")[l2(node).model]; }
    // The same of kind "memory": what stands for its DRAM.
    const std::string& memory_model(NodeId node) const { return models_of("memory")[hbm(node).model]; }
    // A value of a parameter that chooses among models, in the order of its choices, then others that are asked for.
    const std::vector<std::string>& models_of(const std::string& kind) const { return chosen_models_.at(kind); }
    // Whether a block that models bring counts for the node. Its own model, or that of a part of it.
    bool has_block(NodeId node, const BlockInfo& info) const;
    bool has_bandwidth(EdgeId edge) const;
    const EngineSpec& engine() const { return spec<EngineSpec>(system_variant(block_of<EngineSpec>())); }
    const RoutingSpec& routing() const { return spec<RoutingSpec>(system_variant(block_of<RoutingSpec>())); }

    // Throws one InputError with a line for each link definition that an edge in `used` has and nothing
    // gives a bandwidth.
    void require_links(const std::vector<bool>& used) const;

    // The blocks of Weft and of the models that the run knows.
    const BlockTable& blocks() const { return *blocks_; }
    // For reports: the values of a block and their sources.
    VariantId variant(NodeId node, Block block) const { return variants_[index(block)][node]; }
    VariantId link_variant(EdgeId edge) const { return link_variant(edge, block_of<LinkSpec>()); }
    VariantId link_variant(EdgeId edge, Block block) const { return variants_[index(block)][edge]; }
    VariantId system_variant(Block block) const { return variants_[index(block)].front(); }
    // By node, by edge, or one for the system, as the block has it; no_variant: that node or edge does not have the block.
    const std::vector<VariantId>& variants(Block block) const { return variants_[index(block)]; }
    const Variant& values(Block block, VariantId id) const { return pools_[index(block)].at(id); }
    const ValueSource& source(SourceId id) const { return sources_[id]; }

private:
    friend class Resolver;

    struct NodeEntry {
        NodeRole role = NodeRole::passive;
        std::uint32_t model = 0;    // into names_
        std::uint32_t traffic = 0;  // into names_
        std::uint32_t profile = 0;  // into names_
        const NodeRow* row = nullptr;
    };

    static std::size_t index(Block block) { return static_cast<std::size_t>(block); }
    // Of a node that may have the block; no_variant: it does not.
    VariantId& slot(NodeId node, Block block) { return variants_[index(block)][node]; }
    VariantId& link_slot(EdgeId edge) { return variants_[index(block_of<LinkSpec>())][edge]; }
    template <class Spec>
    const Spec& spec(VariantId id) const
    {
        return *static_cast<const Spec*>(specs_[index(block_of<Spec>())][id].get());
    }
    // Spec structs of every variant, once all values are known.
    void make_specs();
    Diagnostic missing_bandwidth(EdgeId edge) const;

    std::shared_ptr<const Graph> graph_;
    std::vector<NodeEntry> nodes_;
    std::vector<const LinkKind*> link_kinds_;  // by edge
    std::vector<NodeId> endpoints_;
    std::vector<NodeId> memories_;
    std::vector<std::string> names_{""};
    // 0: default, 1: unknown. Of values that are set, the later layer has the larger number (last_word.h).
    std::vector<ValueSource> sources_;
    std::shared_ptr<const BlockTable> blocks_;
    // By block: the values that somebody has, as Specs, and who has which (nodes, edges, or the system alone).
    std::vector<VariantPool> pools_;
    std::vector<std::vector<std::shared_ptr<const void>>> specs_;
    std::vector<std::vector<VariantId>> variants_;
    // By the links of their scale-up fabric: profiles that do not say how many there are or how fast. For looking up only.
    std::map<const EdgeKind*, std::string> without_rate_;
    std::map<std::string, std::vector<std::string>> chosen_models_;  // by kind, then by value of the parameter
};

constexpr SourceId default_source = 0;
constexpr SourceId unknown_source = 1;  // of a bandwidth that nothing states

// "dgx.0.nvsw.1~dgx.0.xpu.3": the first end is the node that comes first in the document.
std::string edge_name(const Graph& graph, EdgeId edge);

}  // namespace weft
