#include "infragraph/document.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>

#include "infragraph/fields.h"
#include "infragraph/foreign_form.h"
#include "infragraph/yaml_tree.h"

namespace weft {

namespace {

using Need = Fields::Need;

constexpr std::array<const char*, 8> choice_names{"custom", "device", "cpu", "xpu", "nic", "memory", "port", "switch"};
constexpr std::array<const char*, 3> scheme_names{"one2one", "many2many", "ring"};

class DocumentReader {
public:
    DocumentReader(const YamlTree& tree, Findings& findings) : tree_(tree), findings_(findings) {}

    Infrastructure infrastructure(YamlTree::Id id);
    Device device(YamlTree::Id id);
    Annotation annotation(YamlTree::Id id);

private:
    Component component(YamlTree::Id id);
    void component_choice(Fields& fields, Component& component);
    std::optional<Choice> choice_from(std::string_view name, int line);
    LinkDeclaration link(YamlTree::Id id);
    std::optional<Quantity> quantity(YamlTree::Id id, const char* what, QuantityUnit first, QuantityUnit last);
    Instance instance(YamlTree::Id id);
    EdgeRule edge(YamlTree::Id id, bool in_device);
    Endpoint endpoint(const Fields& edge, std::optional<YamlTree::Id> id, bool in_device, bool& broken);
    std::vector<AnnotationAttribute> attributes(const std::vector<YamlTree::Id>& items);
    void checked_count(Fields& fields, const char* what, std::int32_t& count, bool& broken);

    template <typename Item>
    void check_unique(const std::vector<Item>& items, const char* what, const char* taken_as);

    const YamlTree& tree_;
    Findings& findings_;
};

// Names are unique in their list by the text of the schema.
template <typename Item>
void DocumentReader::check_unique(const std::vector<Item>& items, const char* what, const char* taken_as)
{
    std::set<std::string_view> seen;
    for (const Item& item : items)
        if (!item.name.empty() && !seen.insert(item.name).second)
            findings_.doubt(item.line, std::string("a second ") + what + " is named " + in_quotes(item.name),
                "names that are unique in their list", taken_as);
}

Infrastructure DocumentReader::infrastructure(YamlTree::Id id)
{
    Infrastructure result;
    Fields fields(tree_, id, "infrastructure", findings_);
    result.name = fields.name("name").value_or("");
    result.description = fields.text("description").value_or("");
    for (const YamlTree::Id item : fields.list("devices")) result.devices.push_back(device(item));
    for (const YamlTree::Id item : fields.list("links", Need::optional, &result.broken)) {
        result.links.push_back(link(item));
        result.broken = result.broken || result.links.back().name.empty();
    }
    for (const YamlTree::Id item : fields.list("instances")) result.instances.push_back(instance(item));
    const std::vector<YamlTree::Id> edges = fields.list("edges");
    result.edges.reserve(edges.size());
    for (const YamlTree::Id item : edges) result.edges.push_back(edge(item, false));
    fields.finish();
    check_unique(result.devices, "device", "it replaces the first");
    check_unique(result.links, "link", "it replaces the first");
    check_unique(result.instances, "instance", "merged with the first");
    return result;
}

Device DocumentReader::device(YamlTree::Id id)
{
    Device result;
    result.line = tree_.line(id);
    Fields fields(tree_, id, "device", findings_);
    result.name = fields.name("name", Need::required).value_or("");
    result.description = fields.text("description").value_or("");
    for (const YamlTree::Id item : fields.list("components", Need::required, &result.broken)) {
        result.components.push_back(component(item));
        result.broken = result.broken || result.components.back().name.empty();
    }
    for (const YamlTree::Id item : fields.list("links", Need::required, &result.broken)) {
        result.links.push_back(link(item));
        result.broken = result.broken || result.links.back().name.empty();
    }
    for (const YamlTree::Id item : fields.list("edges", Need::required)) result.edges.push_back(edge(item, true));
    fields.finish();
    check_unique(result.components, "component", "merged with the first, whose count and choice it replaces");
    check_unique(result.links, "link", "it replaces the first");
    return result;
}

void DocumentReader::checked_count(Fields& fields, const char* what, std::int32_t& count, bool& broken)
{
    const auto value = fields.int32("count", Need::required);
    broken = broken || !value;
    count = std::max(value.value_or(0), 0);
    if (value.value_or(0) < 0)
        findings_.doubt(fields.line(), std::string(what) + " count is " + std::to_string(*value),
            "a count of 0 or more", "taken as 0");
}

Component DocumentReader::component(YamlTree::Id id)
{
    Component result;
    result.line = tree_.line(id);
    Fields fields(tree_, id, "component", findings_);
    const auto name = fields.name("name", Need::required);
    result.name = name.value_or("");
    result.broken = !name;
    result.description = fields.text("description").value_or("");
    checked_count(fields, "component", result.count, result.broken);
    component_choice(fields, result);
    fields.finish();
    return result;
}

std::optional<Choice> DocumentReader::choice_from(std::string_view name, int line)
{
    if (name == "npu") {
        findings_.note(line, "'npu' is the name that xpu had before version 0.6; read as 'xpu'");
        return Choice::xpu;
    }
    for (std::size_t i = 0; i < choice_names.size(); ++i)
        if (name == choice_names[i]) return static_cast<Choice>(i);
    return std::nullopt;
}

// `choice` and the member it names may both be present. In order of appearance the later one wins, as in
// the reference service; a strict reader refuses two that disagree.
void DocumentReader::component_choice(Fields& fields, Component& component)
{
    std::optional<Choice> chosen;
    std::optional<std::string> custom_type;
    bool explicit_choice = false;
    bool reported = false;
    for (std::uint32_t i = 0; i < fields.size(); ++i) {
        const std::string_view key = fields.key(i);
        const YamlTree::Id value = fields.value(i);
        const int line = tree_.line(value);
        std::optional<Choice> candidate;
        if (key == "choice") {
            explicit_choice = true;
            if (tree_.kind(value) == YamlTree::Kind::text) candidate = choice_from(tree_.text(value), line);
            if (!candidate) {
                if (tree_.kind(value) == YamlTree::Kind::null)
                    explicit_choice = false;
                else
                    findings_.refuse(line, "component field 'choice' is " + tree_.describe(value),
                        findings_.nearest("one of custom, device, cpu, xpu, nic, memory, port, switch",
                            tree_.text_or_empty(value),
                            [] { return std::vector<std::string>(choice_names.begin(), choice_names.end()); }));
                component.broken = component.broken || explicit_choice;
                continue;
            }
        } else if (key == "npu" || std::find(choice_names.begin(), choice_names.end(), key) != choice_names.end()) {
            if (tree_.kind(value) == YamlTree::Kind::null) continue;
            candidate = choice_from(key, line);
            Fields member(tree_, value, key == "custom" ? "custom component type" : "component marker", findings_);
            if (*candidate == Choice::custom) {
                const auto type = member.text("type", Need::required);
                custom_type = type;
                component.broken = component.broken || !type;
            }
            member.finish();
        } else {
            continue;
        }
        if (chosen && *chosen != *candidate && !reported) {
            reported = true;
            findings_.doubt(line,
                std::string("a component is both '") + name_of(*chosen) + "' and '" + name_of(*candidate) + "'",
                "one choice", "the last one counts");
        }
        chosen = candidate;
    }
    // Each is looked at above, so none of them is an unknown key.
    for (const char* known : choice_names) fields.know(known);
    fields.know("choice");
    fields.know("npu");

    if (component.broken) return;
    if (!chosen) {
        findings_.refuse(fields.line(), "component without 'choice'", "the required field 'choice'");
        component.broken = true;
        return;
    }
    if (!explicit_choice)
        findings_.doubt(fields.line(), "component without 'choice'", "the required field 'choice'",
            std::string("read as '") + name_of(*chosen) + "' from its member of that name");
    component.choice = *chosen;
    if (*chosen != Choice::custom) return;
    if (!custom_type)
        findings_.note(fields.line(), "a custom component without a type; its nodes get the type 'custom'");
    component.custom_type = custom_type.value_or("custom");
}

LinkDeclaration DocumentReader::link(YamlTree::Id id)
{
    LinkDeclaration result;
    result.line = tree_.line(id);
    Fields fields(tree_, id, "link", findings_);
    result.name = fields.name("name", Need::required).value_or("");
    result.description = fields.text("description").value_or("");
    if (const auto physical = fields.get("physical")) {
        Fields members(tree_, *physical, "physical", findings_);
        if (const auto value = members.get("bandwidth"))
            result.bandwidth = quantity(*value, "bandwidth", QuantityUnit::gigabits_per_second,
                QuantityUnit::gigatransfers_per_second);
        if (const auto value = members.get("latency"))
            result.latency = quantity(*value, "latency", QuantityUnit::milliseconds, QuantityUnit::nanoseconds);
        members.finish();
    }
    fields.finish();
    return result;
}

// A value with its unit: {choice: UNIT, UNIT: number}. The member implies the choice; a choice without
// its member states no value.
std::optional<Quantity> DocumentReader::quantity(YamlTree::Id id, const char* what, QuantityUnit first,
    QuantityUnit last)
{
    Fields fields(tree_, id, what, findings_);
    std::vector<std::string> units;
    for (int unit = static_cast<int>(first); unit <= static_cast<int>(last); ++unit)
        units.emplace_back(member_of(static_cast<QuantityUnit>(unit)));
    std::string all_units = "one of " + units[0] + ", " + units[1] + ", " + units[2];

    std::optional<std::string> chosen;
    std::optional<Quantity> value;
    bool conflict = false;
    for (std::uint32_t i = 0; i < fields.size(); ++i) {
        const YamlTree::Id entry = fields.value(i);
        const std::string key(fields.key(i));
        const auto unit = std::find(units.begin(), units.end(), key);
        const YamlTree::Kind kind = tree_.kind(entry);
        if (key == "choice") {
            const std::string name(tree_.text_or_empty(entry));
            if (kind != YamlTree::Kind::text || std::find(units.begin(), units.end(), name) == units.end()) {
                findings_.refuse(tree_.line(entry), std::string(what) + " choice is " + tree_.describe(entry),
                    findings_.nearest(all_units, name, [&] { return units; }));
                continue;
            }
            conflict = conflict || (chosen && *chosen != name);
            if (chosen && *chosen != name) value.reset();
            chosen = name;
        } else if (unit != units.end()) {
            if (kind == YamlTree::Kind::null) {
                findings_.doubt(tree_.line(entry), std::string(what) + " field '" + key + "' has no value",
                    "a value, or no such key", "read as absent");
                continue;
            }
            if (kind != YamlTree::Kind::integer && kind != YamlTree::Kind::number) {
                findings_.refuse(tree_.line(entry), std::string(what) + " " + key + " is " + tree_.describe(entry),
                    "a number without quotes");
                continue;
            }
            conflict = conflict || (chosen && *chosen != key);
            chosen = key;
            value = Quantity{std::string(tree_.text(entry)),
                static_cast<QuantityUnit>(static_cast<int>(first) + static_cast<int>(unit - units.begin()))};
            const double number = std::strtod(value->number.c_str(), nullptr);
            const bool is_bandwidth = first == QuantityUnit::gigabits_per_second;
            if (std::isnan(number) || number < 0 || (is_bandwidth && number <= 0))
                findings_.doubt(tree_.line(entry), std::string(what) + " is " + value->text(),
                    is_bandwidth ? "more than 0" : "0 or more", "kept as text without a usable value");
            else if (std::isinf(number) ||
                (value->unit != QuantityUnit::gigatransfers_per_second &&
                    !(is_bandwidth ? bytes_per_second(*value) : picoseconds(*value))))
                findings_.doubt(tree_.line(entry),
                    std::string(what) + " is " + value->text() + ", which is beyond what can be simulated",
                    is_bandwidth ? "from 1 byte/s to 9.2e18 bytes/s" : "at most 9.2e18 ps",
                    "kept as text without a usable value");
        }
    }
    if (fields.size() == 0 && tree_.kind(id) == YamlTree::Kind::mapping)
        findings_.doubt(tree_.line(id), std::string(what) + " is an empty mapping", all_units, "read as absent");
    if (conflict)
        findings_.doubt(fields.line(), std::string(what) + " names more than one unit", all_units,
            value ? "the last one counts: " + value->text() : "the last one counts, which has no value");
    for (const std::string& unit : units) fields.know(unit.c_str());
    fields.know("choice");
    fields.finish();
    return value;
}

Instance DocumentReader::instance(YamlTree::Id id)
{
    Instance result;
    result.line = result.device_line = tree_.line(id);
    Fields fields(tree_, id, "instance", findings_);
    const auto name = fields.name("name", Need::required);
    result.name = name.value_or("");
    result.description = fields.text("description").value_or("");
    const auto device = fields.text("device", Need::required);
    if (device) result.device_line = tree_.line(*fields.get("device"));
    result.device = device.value_or("");
    result.broken = !name || !device;
    checked_count(fields, "instance", result.count, result.broken);
    fields.finish();
    return result;
}

EdgeRule DocumentReader::edge(YamlTree::Id id, bool in_device)
{
    EdgeRule result;
    result.line = result.link_line = tree_.line(id);
    Fields fields(tree_, id, "edge", findings_);
    const auto ep1 = fields.get("ep1", Need::required);
    const auto ep2 = fields.get("ep2", Need::required);
    result.ep1 = endpoint(fields, ep1, in_device, result.broken);
    result.ep2 = endpoint(fields, ep2, in_device, result.broken);
    if (const auto scheme = fields.get("scheme", Need::required)) {
        const std::string_view given = tree_.text_or_empty(*scheme);
        const auto found = std::find(scheme_names.begin(), scheme_names.end(), given);
        if (found == scheme_names.end() || tree_.kind(*scheme) != YamlTree::Kind::text) {
            findings_.refuse(tree_.line(*scheme), "edge scheme is " + tree_.describe(*scheme),
                findings_.nearest("one of one2one, many2many, ring", given,
                    [] { return std::vector<std::string>(scheme_names.begin(), scheme_names.end()); }));
            result.broken = true;
        } else {
            result.scheme = static_cast<Scheme>(found - scheme_names.begin());
        }
    } else {
        result.broken = true;
    }
    const auto link = fields.text("link", Need::required);
    if (link) result.link_line = tree_.line(*fields.get("link"));
    result.link = link.value_or("");
    result.broken = result.broken || !link;
    fields.finish();
    return result;
}

Endpoint DocumentReader::endpoint(const Fields& edge, std::optional<YamlTree::Id> id, bool in_device, bool& broken)
{
    Endpoint result;
    result.line = edge.line();
    if (!id) {
        broken = true;
        return result;
    }
    Fields fields(tree_, *id, "endpoint", findings_);
    const char* container = in_device ? "device" : "instance";
    const auto outer = fields.text(container, in_device ? Need::optional : Need::required);
    const auto component = fields.text("component", Need::required);
    if (component) result.line = tree_.line(*fields.get("component"));
    result.container = outer.value_or("");
    result.component = component.value_or("");
    broken = broken || !component || (!in_device && !outer);
    fields.finish();
    return result;
}

std::vector<AnnotationAttribute> DocumentReader::attributes(const std::vector<YamlTree::Id>& items)
{
    std::vector<AnnotationAttribute> result;
    for (const YamlTree::Id item : items) {
        Fields fields(tree_, item, "annotation attribute", findings_);
        const auto name = fields.text("attribute", Need::required);
        const auto value = fields.text("value", Need::required);
        fields.finish();
        if (name && value) result.push_back({*name, *value, tree_.line(item)});
    }
    return result;
}

Annotation DocumentReader::annotation(YamlTree::Id id)
{
    Annotation result;
    Fields fields(tree_, id, "annotation", findings_);
    for (const YamlTree::Id item : fields.list("nodes")) {
        Fields entry(tree_, item, "node annotation", findings_);
        const auto name = entry.text("name", Need::required);
        auto values = attributes(entry.list("attributes"));
        entry.finish();
        if (name) result.nodes.push_back({*name, std::move(values), entry.line()});
    }
    for (const YamlTree::Id item : fields.list("edges")) {
        Fields entry(tree_, item, "edge annotation", findings_);
        const auto ep1 = entry.text("ep1", Need::required);
        const auto ep2 = entry.text("ep2", Need::required);
        auto values = attributes(entry.list("attributes"));
        entry.finish();
        if (ep1 && ep2) result.edges.push_back({*ep1, *ep2, std::move(values), entry.line()});
    }
    for (const YamlTree::Id item : fields.list("links")) {
        Fields entry(tree_, item, "link annotation", findings_);
        const auto name = entry.text("name", Need::required);
        auto values = attributes(entry.list("attributes"));
        entry.finish();
        if (name) result.links.push_back({*name, std::move(values), entry.line()});
    }
    result.graph = attributes(fields.list("graph"));
    fields.finish();
    return result;
}

}  // namespace

const char* name_of(Choice choice) { return choice_names[static_cast<std::size_t>(choice)]; }
const char* name_of(Scheme scheme) { return scheme_names[static_cast<std::size_t>(scheme)]; }

Document read_document(const std::string& text, Findings& findings)
{
    const YamlTree tree(findings.file(), text);
    refuse_foreign_form(tree, findings.file());
    DocumentReader reader(tree, findings);
    Document document;
    if (has_key(tree, tree.root(), "infrastructure")) {
        document.form = Document::Form::graph_response;
        Fields fields(tree, tree.root(), "graph response", findings);
        if (const auto id = fields.get("infrastructure", Need::required))
            document.infrastructure = reader.infrastructure(*id);
        if (const auto id = fields.get("annotations", Need::required)) document.annotation = reader.annotation(*id);
        fields.finish();
    } else if (is_device(tree)) {
        document.form = Document::Form::device;
        document.infrastructure.devices.push_back(reader.device(tree.root()));
    } else {
        document.infrastructure = reader.infrastructure(tree.root());
    }
    return document;
}

Annotation read_annotation(const std::string& text, Findings& findings)
{
    const YamlTree tree(findings.file(), text);
    DocumentReader reader(tree, findings);
    return reader.annotation(tree.root());
}

}  // namespace weft
