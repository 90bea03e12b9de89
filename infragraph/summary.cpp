#include "infragraph/summary.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "infragraph/query.h"

namespace weft {

namespace {

using Tally = std::map<std::string, std::size_t>;

Tally count_types(const Graph& graph)
{
    Tally types;
    for (NodeId id = 0; id < graph.node_count(); ++id) ++types[graph.type(id)];
    return types;
}

Tally count_links(const Graph& graph)
{
    Tally links;
    for (EdgeId id = 0; id < graph.edge_count(); ++id) ++links[graph.kind(id).link];
    return links;
}

// Most frequent first, then by name.
std::string tally_text(const Tally& tally)
{
    std::vector<std::pair<std::string, std::size_t>> entries(tally.begin(), tally.end());
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string out;
    for (const auto& [name, count] : entries)
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name.empty() ? "(none)" : name, count);
    return out;
}

std::string one_line(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return text;
}

std::string instances_text(const Infrastructure& infrastructure)
{
    constexpr std::size_t most = 12;
    std::string out;
    for (std::size_t i = 0; i < infrastructure.instances.size(); ++i) {
        const Instance& instance = infrastructure.instances[i];
        if (i == most) return out + fmt::format(", and {} more", infrastructure.instances.size() - most);
        out += fmt::format("{}{} = {} x {}", out.empty() ? "" : ", ", instance.name, instance.count, instance.device);
    }
    return out;
}

std::size_t endpoint_count(const Tally& types)
{
    const auto found = types.find("xpu");
    return found == types.end() ? 0 : found->second;
}

}  // namespace

std::string check_text(const LoadedGraph& loaded)
{
    const Graph& graph = loaded.graph;
    const Infrastructure& infrastructure = graph.infrastructure();
    const Tally types = count_types(graph);
    const Connectivity connected = connectivity(graph);
    std::string out;
    const auto line = [&](const char* label, const std::string& value) {
        if (!value.empty()) out += fmt::format("{:<13}{}\n", label, one_line(value));
    };
    line("file", loaded.file);
    line("name", infrastructure.name);
    line("description", infrastructure.description);
    line("instances", instances_text(infrastructure));
    line("nodes", fmt::format("{} ({})", graph.node_count(), tally_text(types)));
    line("edges",
        graph.edge_count() == 0 ? std::string("0")
                                : fmt::format("{} ({})", graph.edge_count(), tally_text(count_links(graph))));
    line("endpoints", fmt::format("{} (nodes of type xpu)", endpoint_count(types)));
    line("components", fmt::format("{} connected", connected.components));
    line("isolated", fmt::format("{}", connected.isolated.size()));
    for (const Notice& notice : loaded.notices)
        line("notice", Diagnostic{notice.file, notice.line, notice.text, ""}.text());
    return out;
}

std::string check_json(const LoadedGraph& loaded)
{
    const Graph& graph = loaded.graph;
    const Infrastructure& infrastructure = graph.infrastructure();
    const Tally types = count_types(graph);
    const Connectivity connected = connectivity(graph);
    nlohmann::ordered_json out;
    out["file"] = loaded.file;
    out["form"] = loaded.form == Document::Form::graph_response ? "graph response" : "infrastructure";
    out["name"] = infrastructure.name;
    out["description"] = infrastructure.description;
    out["nodes"] = graph.node_count();
    out["edges"] = graph.edge_count();
    out["types"] = types;
    out["links"] = count_links(graph);
    out["endpoints"] = endpoint_count(types);
    out["components"] = connected.components;
    out["isolated"] = connected.isolated.size();
    out["instances"] = nlohmann::ordered_json::array();
    for (const Instance& instance : infrastructure.instances)
        out["instances"].push_back({{"name", instance.name}, {"device", instance.device}, {"count", instance.count}});
    out["notices"] = nlohmann::ordered_json::array();
    for (const Notice& notice : loaded.notices)
        out["notices"].push_back({{"file", notice.file}, {"line", notice.line}, {"text", notice.text}});
    return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace weft
