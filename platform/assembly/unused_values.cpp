#include "platform/assembly/unused_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "platform/configuration/idle/idle_values.h"
#include "tlm_interconnect/link/link_spec.h"
#include "tlm_interconnect/switch/switch_spec.h"

namespace weft {

namespace {

class Search {
public:
    explicit Search(const ResolvedSystem& system) : system_(system) {}

    // `by_width`: routes may pass by here because of the bandwidth.
    void add(weft::Block block, VariantId id, bool used, bool by_width = false)
    {
        const std::optional<std::size_t> width = info_of(block).find("bandwidth");
        const Variant& variant = system_.values(block, id);
        for (std::size_t p = 0; p < variant.sources.size(); ++p) {
            const ValueSource& source = system_.source(variant.sources[p]);
            if (source.file != "--set" && (source.file.empty() || source.file != system_.file)) continue;
            Places& places = found_[{variant.sources[p], info_of(block).path_of(p)}];
            ++places.count;
            places.used = places.used || used;
            places.by_width = places.by_width || (by_width && width == p);
        }
    }

    std::vector<std::string> notices(const char* what) const
    {
        std::vector<std::string> out;
        for (const auto& [key, places] : found_) {
            if (places.used) continue;
            const ValueSource& source = system_.source(key.first);
            const std::string place = source.line > 0 ? fmt::format("{}:{}", source.file, source.line) : source.file;
            const std::string them = places.count == 1 ? "it" : "them";
            out.push_back(fmt::format("{} of {} {}{} ({}) is set{}", key.second, places.count, what,
                places.count == 1 ? "" : "s", place,
                places.by_width ? ", and no route of this run takes " + them +
                        ": of the shortest paths routes take the widest, so this value may be why"
                                : " and changes nothing: no route of this run uses " + them));
        }
        return out;
    }

private:
    struct Places {
        std::size_t count = 0;
        bool used = false;
        bool by_width = false;
    };

    const ResolvedSystem& system_;
    std::map<std::pair<SourceId, std::string>, Places> found_;
};

// VC sets beyond those that routes use; a clocked crossbar takes all of them as lanes.
std::vector<std::string> vc_set_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    for (NodeId node = 0; node < system.graph().node_count(); ++node)
        if (plan.used.nodes[node] && system.role(node) == NodeRole::forwarder && system.model(node) != "switch")
            return {};
    const std::size_t parameter = *info_of(block_of<LinkSpec>()).find("vc_sets");
    std::uint64_t most = 0;
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge) {
        const VariantId id = system.link_variant(edge);
        if (id == no_variant || !plan.used.edges[edge]) continue;
        if (!system.source(system.values(block_of<LinkSpec>(), id).sources[parameter]).file.empty())
            most = std::max(most, system.link(edge).vc_sets);
    }
    if (most <= plan.routing.vc_sets()) return {};
    return {
        fmt::format("link.vc_sets={} is set, and the routes of this run use {} of them", most, plan.routing.vc_sets())};
}

// Models that somebody has chosen for nodes of which none takes part.
std::vector<std::string> unused_model_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    struct Places {
        NodeId first = 0;
        std::size_t count = 0;
        bool used = false;
    };
    std::map<std::string, Places> found;
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        const NodeRole role = system.role(node);
        if (role != NodeRole::endpoint && role != NodeRole::forwarder) continue;
        if (system.model(node) == (role == NodeRole::endpoint ? "gpu" : "switch")) continue;
        Places& places = found[system.model(node)];
        if (places.count++ == 0) places.first = node;
        places.used = places.used || plan.used.nodes[node];
    }
    std::vector<std::string> out;
    for (const auto& [model, places] : found)
        if (!places.used)
            out.push_back(fmt::format("model {} of {}{} changes nothing: {} no part in this run", model,
                system.graph().node(places.first).name,
                places.count > 1 ? fmt::format(" and {} more", places.count - 1) : "",
                places.count > 1 ? "they take" : "it takes"));
    return out;
}

}  // namespace

std::vector<std::string> unused_value_notices(const ResolvedSystem& system, const FabricPlan& plan)
{
    std::vector<std::string> out = vc_set_notices(system, plan);
    for (std::string& notice : unused_model_notices(system, plan)) out.push_back(std::move(notice));
    for (std::string& notice : idle_module_values(system, plan.used))
        if (std::find(system.notices.begin(), system.notices.end(), notice) == system.notices.end())
            out.push_back(std::move(notice));
    // An endpoint that takes no part forwards nothing.
    const RoutePolicy policy = system.routing().policy;
    const bool widest = policy == RoutePolicy::minimal || policy == RoutePolicy::up_down;
    const auto may_forward = [&](NodeId node) {
        return plan.used.nodes[node] || system.role(node) == NodeRole::forwarder;
    };
    Search links(system);
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge)
        if (const VariantId id = system.link_variant(edge); id != no_variant)
            links.add(block_of<LinkSpec>(), id, plan.used.edges[edge],
                widest && may_forward(system.graph().edge(edge).a) && may_forward(system.graph().edge(edge).b));
    Search switches(system);
    for (NodeId node = 0; node < system.graph().node_count(); ++node) {
        const VariantId id = system.variant(node, block_of<SwitchSpec>());
        if (id == no_variant) continue;
        const bool passes = system.role(node) == NodeRole::forwarder || plan.used.transit[node];
        switches.add(block_of<SwitchSpec>(), id, passes && plan.used.nodes[node]);
    }
    for (std::string& notice : links.notices("link")) out.push_back(std::move(notice));
    for (std::string& notice : switches.notices("node")) out.push_back(std::move(notice));
    return out;
}

}  // namespace weft
