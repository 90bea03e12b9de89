#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

#include "infragraph/graph_text.h"
#include "infragraph/json_text.h"
#include "infragraph/quantity.h"

namespace weft {

namespace {

// One object on one line.
class ObjectLine {
public:
    explicit ObjectLine(std::string& out) : out_(out) { out_ += '{'; }

    void add(std::string_view key, std::string_view value) { member(key, json_quoted(value)); }
    void add_number(std::string_view key, std::uint64_t value) { member(key, std::to_string(value)); }

    void add_attributes(const Attributes& attributes, std::initializer_list<std::string_view> reserved)
    {
        for (const Attribute& attribute : attributes) {
            const bool clash = std::find(reserved.begin(), reserved.end(), attribute.name) != reserved.end();
            add(clash ? "annotation:" + attribute.name : attribute.name, attribute.value);
        }
    }

    void close() { out_ += '}'; }

private:
    void member(std::string_view key, const std::string& value)
    {
        if (!first_) out_ += ", ";
        first_ = false;
        out_ += json_quoted(key);
        out_ += ": ";
        out_ += value;
    }

    std::string& out_;
    bool first_ = true;
};

void write_node(const Graph& graph, NodeId id, std::string& out)
{
    ObjectLine line(out);
    line.add("name", graph.node(id).name);
    line.add("type", graph.type(id));
    if (graph.node(id).component != nullptr) {
        line.add("instance", graph.instance(id));
        line.add("instance_idx", graph.instance_index(id));
        line.add("device", graph.device_name(id));
        line.add("composed_device", graph.composed_device(id));
    }
    line.add_attributes(graph.node_attributes(id),
        {"name", "type", "instance", "instance_idx", "device", "composed_device"});
    line.close();
}

void write_edge(const Graph& graph, EdgeId id, const EdgeFigures& of_run, std::string& out)
{
    const Edge& edge = graph.edge(id);
    const EdgeKind& kind = graph.kind(edge);
    ObjectLine line(out);
    line.add("a", graph.node(edge.a).name);
    line.add("b", graph.node(edge.b).name);
    line.add("link", kind.link);
    const EdgeTexts texts = edge_texts(kind, of_run);
    if (!texts.bandwidth.empty()) line.add("bandwidth", texts.bandwidth);
    if (!texts.latency.empty()) line.add("latency", texts.latency);
    if (texts.bytes_per_second) line.add_number("bytes_per_second", *texts.bytes_per_second);
    if (texts.latency_ps) line.add_number("latency_ps", *texts.latency_ps);
    line.add_attributes(graph.edge_attributes(id),
        {"a", "b", "link", "bandwidth", "latency", "bytes_per_second", "latency_ps"});
    line.close();
}

}  // namespace

EdgeTexts edge_texts(const EdgeKind& kind, const EdgeFigures& of_run)
{
    EdgeTexts out{kind.bandwidth ? kind.bandwidth->text() : "", kind.latency ? kind.latency->text() : "",
        kind.bytes_per_second, kind.latency_ps};
    if (of_run.bytes_per_second && of_run.bytes_per_second != out.bytes_per_second) {
        out.bytes_per_second = of_run.bytes_per_second;
        const double rate = static_cast<double>(*of_run.bytes_per_second) / 1e9;
        out.bandwidth = Quantity{fmt::format("{}", rate), QuantityUnit::gigabytes_per_second}.text();
    }
    if (of_run.latency_ps && of_run.latency_ps != out.latency_ps) {
        out.latency_ps = of_run.latency_ps;
        const double time = static_cast<double>(*of_run.latency_ps) / 1e3;
        out.latency = Quantity{fmt::format("{}", time), QuantityUnit::nanoseconds}.text();
    }
    return out;
}

std::string graph_json(const Graph& graph, const std::vector<EdgeFigures>& of_run)
{
    std::string out = "{\"graph\": ";
    ObjectLine attributes(out);
    attributes.add_attributes(graph.graph_attributes(), {});
    attributes.close();
    out += ",\n \"nodes\": [";
    for (NodeId id = 0; id < graph.node_count(); ++id) {
        out += id == 0 ? "\n  " : ",\n  ";
        write_node(graph, id, out);
    }
    out += "],\n \"edges\": [";
    for (EdgeId id = 0; id < graph.edge_count(); ++id) {
        out += id == 0 ? "\n  " : ",\n  ";
        write_edge(graph, id, of_run.empty() ? EdgeFigures{} : of_run[id], out);
    }
    out += "]}\n";
    return out;
}

}  // namespace weft
