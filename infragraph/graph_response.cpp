#include "infragraph/graph_response.h"

#include <cstdlib>

#include <nlohmann/json.hpp>

namespace weft {

namespace {

using Json = nlohmann::ordered_json;

void add_text(Json& object, const char* key, const std::string& text)
{
    if (!text.empty()) object[key] = text;
}

Json quantity_json(const Quantity& quantity)
{
    // Through the parser, so that the number stays what it was: 100 or 100.5.
    Json value = Json::parse(quantity.number, nullptr, false);
    if (!value.is_number()) value = std::strtod(quantity.number.c_str(), nullptr);
    return {{"choice", member_of(quantity.unit)}, {member_of(quantity.unit), value}};
}

Json link_json(const LinkDeclaration& link)
{
    Json out;
    out["name"] = link.name;
    add_text(out, "description", link.description);
    if (link.bandwidth) out["physical"]["bandwidth"] = quantity_json(*link.bandwidth);
    if (link.latency) out["physical"]["latency"] = quantity_json(*link.latency);
    return out;
}

Json edge_json(const EdgeRule& rule, const char* container)
{
    const auto endpoint = [&](const Endpoint& from) {
        Json out;
        add_text(out, container, from.container);
        out["component"] = from.component;
        return out;
    };
    return {{"scheme", name_of(rule.scheme)}, {"link", rule.link}, {"ep1", endpoint(rule.ep1)},
        {"ep2", endpoint(rule.ep2)}};
}

Json component_json(const Component& component)
{
    Json out;
    out["name"] = component.name;
    add_text(out, "description", component.description);
    out["count"] = component.count;
    out["choice"] = name_of(component.choice);
    if (component.choice == Choice::custom) out["custom"]["type"] = component.custom_type;
    return out;
}

Json device_json(const Device& device)
{
    Json out;
    out["name"] = device.name;
    add_text(out, "description", device.description);
    out["components"] = Json::array();
    out["edges"] = Json::array();
    out["links"] = Json::array();
    for (const Component& component : device.components) out["components"].push_back(component_json(component));
    for (const EdgeRule& rule : device.edges) out["edges"].push_back(edge_json(rule, "device"));
    for (const LinkDeclaration& link : device.links) out["links"].push_back(link_json(link));
    return out;
}

Json infrastructure_json(const Infrastructure& infrastructure)
{
    Json out;
    add_text(out, "name", infrastructure.name);
    add_text(out, "description", infrastructure.description);
    out["devices"] = Json::array();
    out["edges"] = Json::array();
    out["instances"] = Json::array();
    out["links"] = Json::array();
    for (const Device& device : infrastructure.devices) out["devices"].push_back(device_json(device));
    for (const EdgeRule& rule : infrastructure.edges) out["edges"].push_back(edge_json(rule, "instance"));
    for (const Instance& instance : infrastructure.instances) {
        Json entry;
        entry["name"] = instance.name;
        add_text(entry, "description", instance.description);
        entry["device"] = instance.device;
        entry["count"] = instance.count;
        out["instances"].push_back(entry);
    }
    for (const LinkDeclaration& link : infrastructure.links) out["links"].push_back(link_json(link));
    return out;
}

class AttributeList {
public:
    void add(const char* name, std::string_view value) { list_.push_back({{"attribute", name}, {"value", value}}); }
    void add(const Attributes& attributes)
    {
        for (const Attribute& attribute : attributes) add(attribute.name.c_str(), attribute.value);
    }
    Json take() { return std::move(list_); }

private:
    Json list_ = Json::array();
};

Json node_attributes(const Graph& graph, NodeId id, ResponseScope scope)
{
    AttributeList list;
    if (scope == ResponseScope::full && graph.node(id).component != nullptr) {
        list.add("type", graph.type(id));
        list.add("instance", graph.instance(id));
        list.add("instance_idx", graph.instance_index(id));
        list.add("device", graph.device_name(id));
        list.add("composed_device", graph.composed_device(id));
    }
    list.add(graph.node_attributes(id));
    return list.take();
}

Json edge_attributes(const Graph& graph, EdgeId id, ResponseScope scope)
{
    AttributeList list;
    const EdgeKind& kind = graph.kind(id);
    if (scope == ResponseScope::full) list.add("link", kind.link);
    if (kind.bandwidth) list.add("bandwidth", kind.bandwidth->text());
    if (kind.latency) list.add("latency", kind.latency->text());
    list.add(graph.edge_attributes(id));
    return list.take();
}

}  // namespace

std::string graph_response(const Graph& graph, ResponseScope scope)
{
    Json out;
    out["infrastructure"] = infrastructure_json(graph.infrastructure());
    Json& annotations = out["annotations"];
    annotations["nodes"] = Json::array();
    annotations["edges"] = Json::array();
    annotations["links"] = Json::array();
    annotations["graph"] = Json::array();
    for (NodeId id = 0; id < graph.node_count(); ++id)
        if (graph.node(id).component != nullptr || !graph.node_attributes(id).empty())
            annotations["nodes"].push_back(
                {{"name", graph.node(id).name}, {"attributes", node_attributes(graph, id, scope)}});
    // Edges in the order of their first node; each link once, with the attributes of its first edge.
    std::map<std::string, bool> listed;
    for (NodeId id = 0; id < graph.node_count(); ++id)
        for (const Neighbour& neighbour : graph.neighbours(id)) {
            if (neighbour.node < id) continue;
            Json attributes = edge_attributes(graph, neighbour.edge, scope);
            if (listed.emplace(graph.kind(neighbour.edge).link, true).second)
                annotations["links"].push_back({{"name", graph.kind(neighbour.edge).link}, {"attributes", attributes}});
            annotations["edges"].push_back({{"ep1", graph.node(id).name}, {"ep2", graph.node(neighbour.node).name},
                {"attributes", std::move(attributes)}});
        }
    AttributeList list;
    list.add(graph.graph_attributes());
    annotations["graph"] = list.take();
    return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace weft
