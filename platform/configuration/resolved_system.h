// A system with every parameter of every module decided, each value with where it comes from.
//
// Nodes of type xpu are endpoints; nodes of type memory are pools that they can use; other nodes that lines may pass
// through have a `switch` block, and so do endpoints, for traffic that passes them. Identical combinations of values are held once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/engine/engine_spec.h"
#include "gpu/gpu_spec.h"
#include "gpu/dma_spec.h"
#include "gpu/network_spec.h"
#include "infragraph/graph.h"
#include "platform/configuration/assumption.h"
#include "platform/configuration/blocks.h"
#include "platform/configuration/routing_spec.h"
#include "platform/configuration/system_file.h"
#include "platform/configuration/variants.h"
#include "sc_models/hbm_spec.h"
#include "sc_models/l1_spec.h"
#include "sc_models/l2_spec.h"
#include "sc_models/memory_side_spec.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

enum class NodeRole : std::uint8_t { endpoint, memory, forwarder, passive };

// Where a value comes from, as text and, for values of users, as a place.
struct ValueSource {
    std::string text;
    std::string file;
    int line = 0;
};

class ResolvedSystem {
public:
    std::string name;
    std::string infrastructure;  // path of the InfraGraph document
    std::string file;            // of the system file; empty without one
    std::uint64_t seed = 1;
    Workload workload;
    std::vector<std::string> notices;
    std::vector<Assumption> assumptions;  // of all parts; assumptions_among() picks those of a run

    const Graph& graph() const { return *graph_; }
    NodeRole role(NodeId node) const { return nodes_[node].role; }
    // Nodes in rank order: by the annotation `rank`, else in the order of the document.
    const std::vector<NodeId>& endpoints() const { return endpoints_; }
    // Nodes of type memory that have a link, in the order of the document. They have the blocks of an endpoint, of which
    // `network`, `l2`, `hbm` and the ways between ports and slices in `gpu` count.
    const std::vector<NodeId>& memories() const { return memories_; }

    // Name of the model in the registry: of kind "gpu" for endpoints, "switch" for forwarders.
    const std::string& model(NodeId node) const { return names_[nodes_[node].model]; }
    // For a replay GPU: path of its profile of traffic, empty without one.
    const std::string& traffic(NodeId node) const { return names_[nodes_[node].traffic]; }
    const std::string& profile(NodeId node) const { return names_[nodes_[node].profile]; }  // endpoints, memories

    const GpuSpec& gpu(NodeId node) const { return gpu_[variant(node, Block::gpu)]; }
    const NetworkSpec& network(NodeId node) const { return network_[variant(node, Block::network)]; }
    const L1Spec& l1(NodeId node) const { return l1_[variant(node, Block::l1)]; }
    const L2Spec& l2(NodeId node) const { return l2_[variant(node, Block::l2)]; }
    const MemorySideSpec& memory_side(NodeId node) const { return memory_side_[variant(node, Block::memory_side)]; }
    const HbmSpec& hbm(NodeId node) const { return hbm_[variant(node, Block::hbm)]; }
    const CopySpec& copy(NodeId node) const { return copy_[variant(node, Block::copy)]; }
    const BulkSpec& bulk(NodeId node) const { return bulk_[variant(node, Block::bulk)]; }
    const SwitchSpec& switch_of(NodeId node) const { return switch_[variant(node, Block::switch_)]; }
    // Throws InputError when nothing says what the bandwidth is.
    const LinkSpec& link(EdgeId edge) const;
    // Name of the model in the registry, of kind "link".
    const std::string& link_model(EdgeId edge) const { return link_models_[link(edge).model]; }
    // As people write a value of a link's parameter: a model by its name, whoever registered it.
    const std::string& link_model_name(std::uint64_t value) const { return link_models_[value]; }
    bool has_bandwidth(EdgeId edge) const;
    const EngineSpec& engine() const { return engine_; }
    const RoutingSpec& routing() const { return routing_; }

    // Throws one InputError with a line for each link definition that an edge in `used` has and nothing
    // gives a bandwidth.
    void require_links(const std::vector<bool>& used) const;

    // For reports: the values of a block and their sources.
    VariantId variant(NodeId node, Block block) const
    {
        return nodes_[node].variants[static_cast<std::size_t>(block)];
    }
    VariantId link_variant(EdgeId edge) const { return edges_[edge]; }
    VariantId system_variant(Block block) const
    {
        return block == Block::engine ? engine_variant_ : routing_variant_;
    }
    const Variant& values(Block block, VariantId id) const
    {
        return pools_[static_cast<std::size_t>(block)].at(id);
    }
    const ValueSource& source(SourceId id) const { return sources_[id]; }

private:
    friend class Resolver;

    struct NodeEntry {
        NodeRole role = NodeRole::passive;
        std::uint32_t model = 0;    // into names_
        std::uint32_t traffic = 0;  // into names_
        std::uint32_t profile = 0;  // into names_
        std::array<VariantId, node_block_count> variants = no_variants();
    };

    // Spec structs of every variant, once all values are known.
    void make_specs();
    Diagnostic missing_bandwidth(EdgeId edge) const;

    std::shared_ptr<const Graph> graph_;
    std::vector<NodeEntry> nodes_;
    std::vector<VariantId> edges_;
    std::vector<NodeId> endpoints_;
    std::vector<NodeId> memories_;
    std::vector<std::string> names_{""};
    std::vector<ValueSource> sources_;  // 0: default, 1: unknown
    std::array<VariantPool, block_count> pools_;
    std::vector<std::string> link_models_;  // by value of link.model: its choices, then others that are asked for
    VariantId engine_variant_ = no_variant;
    VariantId routing_variant_ = no_variant;

    std::vector<GpuSpec> gpu_;
    std::vector<L2Spec> l2_;
    std::vector<NetworkSpec> network_;
    std::vector<L1Spec> l1_;
    std::vector<MemorySideSpec> memory_side_;
    std::vector<HbmSpec> hbm_;
    std::vector<CopySpec> copy_;
    std::vector<BulkSpec> bulk_;
    std::vector<SwitchSpec> switch_;
    std::vector<LinkSpec> link_;
    EngineSpec engine_;
    RoutingSpec routing_;
};

constexpr SourceId default_source = 0;
constexpr SourceId unknown_source = 1;  // of a bandwidth that nothing states

// "dgx.0.nvsw.1~dgx.0.xpu.3": the first end is the node that comes first in the document.
std::string edge_name(const Graph& graph, EdgeId edge);

}  // namespace weft
