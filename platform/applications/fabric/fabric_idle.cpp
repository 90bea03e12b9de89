#include "platform/applications/fabric/fabric_idle.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collectives/engine/engine_spec.h"

namespace weft {

namespace {

bool sizes_credits(const std::string& path)
{
    static const std::set<std::string> paths{"gpu.port_to_l2", "gpu.port_to_unit", "network.kind", "network.columns",
        "network.rows", "network.hop_latency"};
    return paths.count(path) != 0;
}

bool by_command(const ResolvedSystem& system, SourceId source)
{
    const std::string& file = system.source(source).file;
    return file == "--set" || file == "--over";
}

}  // namespace

std::vector<std::string> idle_in_fabric(const ResolvedSystem& system)
{
    std::vector<std::string> out;
    const Block engine = block_of<EngineSpec>();
    const Variant& values = system.values(engine, system.system_variant(engine));
    for (std::size_t i = 0; i < values.sources.size(); ++i)
        if (!system.source(values.sources[i]).file.empty())
            out.push_back(info_of(engine).path_of(i) + " is set and changes nothing: no collective runs here");
    std::vector<std::string> names;
    for (const Block block : system.blocks().of(BlockOwner::endpoint)) {
        std::set<std::size_t> set;
        for (const VariantId id : system.variants(block)) {
            if (id == no_variant) continue;
            const Variant& variant = system.values(block, id);
            for (std::size_t i = 0; i < variant.sources.size(); ++i)
                if (by_command(system, variant.sources[i])) set.insert(i);
        }
        for (const std::size_t i : set)
            if (const std::string path = system.blocks()[block].path_of(i); !sizes_credits(path)) names.push_back(path);
    }
    if (!names.empty())
        out.push_back(fmt::format("{} {} nothing: sources of traffic have no units, caches and memories",
            fmt::join(names, ", "), names.size() == 1 ? "is set and changes" : "are set and change"));
    return out;
}

std::vector<std::string> other_formats(const ResolvedSystem& system, const FabricPlan& plan)
{
    std::set<std::string> models;
    for (EdgeId edge = 0; edge < system.graph().edge_count(); ++edge)
        if (is_used(plan.used.edges, edge) && system.link_model(edge) != "link") models.insert(system.link_model(edge));
    if (models.empty()) return {};
    return {fmt::format("load 1 and the bytes of a transaction are those of the model 'link'; {} {} packets of {} own, "
                        "so 1 is not what {} can "
                        "carry",
        fmt::join(models, ", "), models.size() == 1 ? "has" : "have", models.size() == 1 ? "its" : "their",
        models.size() == 1 ? "it" : "they")};
}

}  // namespace weft
