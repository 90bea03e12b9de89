#include "infragraph/annotate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <tuple>

#include "infragraph/endpoint.h"
#include "infragraph/graph_builder.h"

namespace weft {

namespace {

constexpr std::uint64_t most_assignments = 50'000'000;

bool is_immutable(std::string_view attribute)
{
    constexpr std::array<std::string_view, 6> names{"type", "instance", "instance_idx", "device", "composed_device",
        "link"};
    return std::find(names.begin(), names.end(), attribute) != names.end();
}

bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

void assign(Attributes& attributes, Attribute attribute)
{
    for (Attribute& present : attributes)
        if (present.name == attribute.name) {
            present = std::move(attribute);
            return;
        }
    attributes.push_back(std::move(attribute));
}

}  // namespace

class Annotator {
public:
    Annotator(Graph& graph, AnnotationSource source, Findings& findings)
        : graph_(graph), source_(source), findings_(findings), by_name_(graph.node_count())
    {
        std::iota(by_name_.begin(), by_name_.end(), NodeId{0});
        std::sort(by_name_.begin(), by_name_.end(),
            [&](NodeId a, NodeId b) { return graph.node(a).name < graph.node(b).name; });
    }

    void nodes(const NodeAnnotation& annotation);
    void edges(const EdgeAnnotation& annotation);
    void link(const LinkAnnotation& annotation);
    void graph(const AnnotationAttribute& attribute) { assign(graph_.graph_attributes_, located(attribute)); }

    void index_links()
    {
        for (EdgeId id = 0; id < graph_.edge_count(); ++id) edges_of_link_[graph_.kind(id).link].push_back(id);
    }

private:
    using Range = std::pair<std::size_t, std::size_t>;  // of by_name_

    Range below(const std::string& prefix) const;
    bool exists(const std::string& name) const
    {
        const Range range = below(name);
        return range.first < range.second || graph_.find(name);
    }
    // Names and prefixes that the expression stands for; false after reporting one that does not exist.
    bool expand_name(const std::string& expression, int line, std::vector<std::string>& names);
    bool append_element(std::vector<std::string>& names, const PathElement& element, const std::string& expression,
        int line);
    std::int64_t index_count(const std::string& stem) const;
    bool unknown(const std::string& name, int line);

    bool afford(std::uint64_t assignments, int line);
    void set_on_edge(EdgeId id, const AnnotationAttribute& attribute);
    void override_physical(EdgeId id, const AnnotationAttribute& attribute);
    bool skips_immutable(const AnnotationAttribute& attribute, const std::string& target, std::string_view actual);
    std::string derived(NodeId id, std::string_view attribute) const;
    Attribute located(const AnnotationAttribute& attribute) const
    {
        return {attribute.name, attribute.value, findings_.file(), attribute.line};
    }

    Graph& graph_;
    AnnotationSource source_;
    Findings& findings_;
    std::vector<NodeId> by_name_;
    std::map<std::string, std::vector<EdgeId>, std::less<>> edges_of_link_;
    std::map<std::tuple<std::uint32_t, std::string, std::string>, std::uint32_t> overridden_;
    std::uint64_t assignments_ = 0;
};

// The nodes whose names start with "prefix.".
Annotator::Range Annotator::below(const std::string& prefix) const
{
    const std::string low = prefix + ".";
    const auto before = [&](NodeId id, const std::string& text) { return graph_.node(id).name < text; };
    const auto first = std::lower_bound(by_name_.begin(), by_name_.end(), low, before);
    const auto last = std::lower_bound(first, by_name_.end(), prefix + "/", before);  // '/' follows '.'
    return {static_cast<std::size_t>(first - by_name_.begin()), static_cast<std::size_t>(last - by_name_.begin())};
}

bool Annotator::unknown(const std::string& name, int line)
{
    findings_.refuse(line, in_quotes(name) + " is not a node of the graph, nor the beginning of one",
        "a node name, a prefix of whole elements, or elements with slices such as server[0:2]xpu[0]");
    return false;
}

bool Annotator::expand_name(const std::string& expression, int line, std::vector<std::string>& names)
{
    if (expression.find('.') != std::string::npos) {
        names = {expression};
        return exists(expression) || unknown(expression, line);
    }
    names = {""};
    for (std::string_view rest = expression; !rest.empty();) {
        PathElement element;
        std::size_t length = 0;
        while (length < rest.size() && is_plain(rest[length])) ++length;
        element.name = rest.substr(0, length);
        rest.remove_prefix(length);
        if (element.name.empty()) return unknown(expression, line);
        if (!rest.empty()) {
            const std::size_t close = rest.find(']');
            std::string problem;
            if (rest.front() != '[' || close == std::string_view::npos) return unknown(expression, line);
            if (!parse_slice(rest.substr(1, close - 1), element.slice, problem)) {
                findings_.refuse(line, problem + " in " + in_quotes(expression), "[k], [a:b] or [a:b:step]");
                return false;
            }
            element.sliced = true;
            rest.remove_prefix(close + 1);
        }
        if (!append_element(names, element, expression, line)) return false;
    }
    if (expression.empty()) return unknown(expression, line);
    return true;
}

bool Annotator::append_element(std::vector<std::string>& names, const PathElement& element,
    const std::string& expression, int line)
{
    std::vector<std::string> longer;
    for (const std::string& name : names) {
        const std::string stem = name.empty() ? std::string(element.name) : name + "." + std::string(element.name);
        if (!element.sliced) {
            if (!exists(stem)) return unknown(stem, line);
            longer.push_back(stem);
            continue;
        }
        if (!afford(below(stem).second - below(stem).first, line)) return false;
        const IndexRange range = element.slice.range(index_count(stem));
        if (range.count == 0 || range.count > graph_.node_count()) return unknown(expression, line);
        if (!afford(range.count, line)) return false;
        for (std::uint64_t i = 0; i < range.count; ++i) {
            longer.push_back(stem + "." + std::to_string(range.at(i)));
            if (!exists(longer.back())) return unknown(longer.back(), line);
        }
    }
    names = std::move(longer);
    return true;
}

// One more than the largest index that stands behind "stem.".
std::int64_t Annotator::index_count(const std::string& stem) const
{
    const Range range = below(stem);
    std::int64_t count = 0;
    for (std::size_t i = range.first; i < range.second; ++i) {
        const std::string& name = graph_.node(by_name_[i]).name;
        std::int64_t index = 0;
        const auto result = std::from_chars(name.data() + stem.size() + 1, name.data() + name.size(), index);
        if (result.ec == std::errc()) count = std::max(count, index + 1);
    }
    return count;
}

bool Annotator::afford(std::uint64_t assignments, int line)
{
    const bool could = assignments_ <= most_assignments;
    assignments_ += assignments;
    if (assignments_ <= most_assignments) return true;
    if (could)
        findings_.refuse(line, "the annotations set more than " + std::to_string(most_assignments) + " attributes",
            "fewer annotations");
    return false;
}

std::string Annotator::derived(NodeId id, std::string_view attribute) const
{
    if (attribute == "type") return graph_.type(id);
    if (attribute == "instance") return std::string(graph_.instance(id));
    if (attribute == "instance_idx") return std::string(graph_.instance_index(id));
    if (attribute == "device") return std::string(graph_.device_name(id));
    return attribute == "composed_device" ? std::string(graph_.composed_device(id)) : std::string();
}

bool Annotator::skips_immutable(const AnnotationAttribute& attribute, const std::string& target,
    std::string_view actual)
{
    if (!is_immutable(attribute.name)) return false;
    if (source_ == AnnotationSource::request || attribute.value != actual)
        findings_.note(attribute.line,
            "the attribute '" + attribute.name + "' of " + in_quotes(target) + " cannot be set; " +
                in_quotes(attribute.value) + " is ignored");
    return true;
}

void Annotator::nodes(const NodeAnnotation& annotation)
{
    std::vector<std::string> names;
    if (!expand_name(annotation.name, annotation.line, names)) return;
    std::vector<NodeId> targets;
    for (const std::string& name : names) {
        if (const auto id = graph_.find(name)) targets.push_back(*id);
        const Range range = below(name);
        if (!afford(range.second - range.first, annotation.line)) return;
        for (std::size_t i = range.first; i < range.second; ++i) targets.push_back(by_name_[i]);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const AnnotationAttribute& attribute : annotation.attributes) {
        if (!afford(targets.size(), attribute.line)) return;
        if (skips_immutable(attribute, annotation.name, derived(targets.front(), attribute.name))) continue;
        for (const NodeId id : targets) assign(graph_.node_attributes_[id], located(attribute));
    }
}

void Annotator::edges(const EdgeAnnotation& annotation)
{
    std::vector<NodeId> ends[2];
    for (int side = 0; side < 2; ++side) {
        std::vector<std::string> names;
        const std::string& expression = side == 0 ? annotation.ep1 : annotation.ep2;
        if (!expand_name(expression, annotation.line, names)) return;
        for (const std::string& name : names) {
            const auto id = graph_.find(name);
            if (!id) {
                findings_.refuse(annotation.line, in_quotes(name) + " is not a complete node name",
                    "endpoints that are single nodes");
                return;
            }
            ends[side].push_back(*id);
        }
        std::sort(ends[side].begin(), ends[side].end());
    }
    std::vector<EdgeId> targets;
    for (const NodeId a : ends[0]) {
        if (!afford(graph_.neighbours(a).size(), annotation.line)) return;
        for (const Neighbour& neighbour : graph_.neighbours(a))
            if (std::binary_search(ends[1].begin(), ends[1].end(), neighbour.node)) targets.push_back(neighbour.edge);
    }
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    if (targets.empty()) {
        findings_.doubt(annotation.line,
            "there is no edge between " + in_quotes(annotation.ep1) + " and " + in_quotes(annotation.ep2),
            "the endpoints of at least one edge", "ignored");
        return;
    }
    const std::string target = annotation.ep1 + " - " + annotation.ep2;
    for (const AnnotationAttribute& attribute : annotation.attributes) {
        if (!afford(targets.size(), attribute.line)) return;
        if (skips_immutable(attribute, target, graph_.kind(targets.front()).link)) continue;
        for (const EdgeId id : targets) set_on_edge(id, attribute);
    }
}

void Annotator::link(const LinkAnnotation& annotation)
{
    const auto found = edges_of_link_.find(annotation.name);
    if (found == edges_of_link_.end()) {
        const auto known = [&] {
            std::vector<std::string> names;
            for (const auto& entry : edges_of_link_) names.push_back(entry.first);
            return names;
        };
        findings_.doubt(annotation.line, "no edge uses a link named " + in_quotes(annotation.name),
            findings_.nearest("the link of an edge", annotation.name, known), "ignored");
        return;
    }
    for (const AnnotationAttribute& attribute : annotation.attributes) {
        if (!afford(found->second.size(), attribute.line)) return;
        if (skips_immutable(attribute, annotation.name, annotation.name)) continue;
        for (const EdgeId id : found->second) set_on_edge(id, attribute);
    }
}

void Annotator::set_on_edge(EdgeId id, const AnnotationAttribute& attribute)
{
    if (attribute.name != "bandwidth" && attribute.name != "latency")
        assign(graph_.edge_attributes_[id], located(attribute));
    else
        override_physical(id, attribute);
}

void Annotator::override_physical(EdgeId id, const AnnotationAttribute& attribute)
{
    const bool is_bandwidth = attribute.name == "bandwidth";
    std::uint32_t& kind = graph_.edges_[id].kind;
    const auto [found, added] = overridden_.emplace(std::make_tuple(kind, attribute.name, attribute.value), kind);
    if (!added) {
        kind = found->second;
        return;
    }
    EdgeKind changed = graph_.kinds_[kind];
    std::optional<Quantity>& present = is_bandwidth ? changed.bandwidth : changed.latency;
    if (present && present->text() == attribute.value) return;
    const std::optional<Quantity> value =
        is_bandwidth ? parse_bandwidth(attribute.value) : parse_latency(attribute.value);
    const bool usable = value &&
        (is_bandwidth ? value->unit == QuantityUnit::gigatransfers_per_second || bytes_per_second(*value).has_value()
                      : picoseconds(*value).has_value());
    if (!usable) {
        findings_.doubt(attribute.line,
            "the " + attribute.name + " " + in_quotes(attribute.value) + " is not understood",
            is_bandwidth ? "a positive value with Gbps, GBps or GT/s, such as '400 Gbps'"
                         : "a value with ms, us or ns, such as '250 ns'",
            "ignored");
        return;
    }
    present = value;
    (is_bandwidth ? changed.bandwidth_from : changed.latency_from) = {findings_.file(), attribute.line};
    convert_units(changed);
    graph_.kinds_.push_back(std::move(changed));
    kind = found->second = static_cast<std::uint32_t>(graph_.kinds_.size() - 1);
}

void annotate(Graph& graph, const Annotation& annotation, AnnotationSource source, Findings& findings)
{
    if (annotation.nodes.empty() && annotation.edges.empty() && annotation.links.empty() && annotation.graph.empty())
        return;
    Annotator annotator(graph, source, findings);
    for (const NodeAnnotation& entry : annotation.nodes) annotator.nodes(entry);
    for (const EdgeAnnotation& entry : annotation.edges) annotator.edges(entry);
    // A response that lists every edge has each attribute there; its list of links is then a summary
    // made from one edge of each link and must not be spread over the others.
    const bool summary = source == AnnotationSource::response && !annotation.edges.empty() &&
        annotation.edges.size() >= graph.edge_count();
    if (!summary && !annotation.links.empty()) {
        annotator.index_links();
        for (const LinkAnnotation& entry : annotation.links) annotator.link(entry);
    }
    for (const AnnotationAttribute& attribute : annotation.graph) annotator.graph(attribute);
}

}  // namespace weft
