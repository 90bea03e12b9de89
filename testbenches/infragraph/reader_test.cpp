// Forms, fields, types, names and choices of a document.
#include <zlib.h>

#include <gtest/gtest.h>

#include "testbenches/infragraph/fixtures.h"
#include "testbenches/support/scratch_folder.h"

namespace weft::reader_test {
namespace {

using test::expect_doubted;
using test::expect_refused;
using test::load;
using test::small;

std::string with(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

// A device of one component and one link whose `physical` is given, on line 5.
std::string physical(const std::string& value)
{
    return "devices:\n- name: d\n  components: [{name: x, count: 2, choice: xpu}]\n  links:\n"
           "  - {name: l, physical: " +
        value +
        "}\n"
        "  edges: [{ep1: {component: x}, ep2: {component: x}, scheme: many2many, link: l}]\n"
        "instances: [{name: i, device: d, count: 1}]\n";
}

EdgeKind only_kind(const std::string& value, bool lenient = false)
{
    const LoadedGraph loaded = load(physical(value), lenient);
    EXPECT_EQ(loaded.graph.edge_count(), 1U);
    return loaded.graph.kind(EdgeId{0});
}

TEST(Reader, EveryElementKnowsItsLine)
{
    Findings findings("doc.yaml", false);
    const Document document = read_document(small(), findings);
    EXPECT_FALSE(findings.failed());
    const Infrastructure& infrastructure = document.infrastructure;
    EXPECT_EQ(infrastructure.name, "small");
    EXPECT_EQ(infrastructure.devices[0].line, 3);
    EXPECT_EQ(infrastructure.devices[0].components[1].line, 6);
    EXPECT_EQ(infrastructure.devices[0].links[0].line, 7);
    EXPECT_EQ(infrastructure.devices[0].edges[0].line, 9);
    EXPECT_EQ(infrastructure.instances[0].line, 10);
    EXPECT_EQ(infrastructure.links[0].line, 11);
    EXPECT_EQ(infrastructure.edges[0].line, 13);
    EXPECT_EQ(infrastructure.edges[0].ep1.line, 13);
}

TEST(Reader, JsonAndYamlAreTheSame)
{
    const std::string json =
        "{\"devices\": [{\"name\": \"d\", \"components\": [{\"name\": \"x\", \"count\": 2, \"choice\": "
        "\"xpu\","
        "\n\t\"description\": \"tab, quote \\\" and \\u00e9\"}], \"links\": [], \"edges\": []}],"
        "\n\"instances\": [{\"name\": \"i\", \"device\": \"d\", \"count\": 1}]}";
    const LoadedGraph loaded = load(json);
    EXPECT_EQ(test::node_names(loaded.graph), (std::vector<std::string>{"i.0.x.0", "i.0.x.1"}));
    EXPECT_EQ(loaded.graph.node(0).component->description, "tab, quote \" and \xc3\xa9");
}

TEST(Reader, MissingFieldsAreNamed)
{
    const std::string text = small();
    expect_refused(with(text, "count: 4, ", ""), 5, "component without 'count'");
    expect_refused(with(text, ", choice: xpu", ""), 5, "component without 'choice'");
    expect_refused(with(text, "{name: xpu, ", "{"), 5, "component without 'name'");
    expect_refused(with(text, "  links: [{name: l}]\n", ""), 3, "device without 'links'");
    expect_refused(with(text, "[{name: l}]", "[{description: l}, {name: l}]"), 7, "link without 'name'");
    expect_refused(with(text, ", link: l}", "}"), 9, "edge without 'link'");
    expect_refused(with(text, "scheme: many2many, ", ""), 9, "edge without 'scheme'");
    expect_refused(with(text, "ep1: {component: xpu}, ", ""), 9, "edge without 'ep1'");
    expect_refused(with(text, "instance: 'h[0]', ", ""), 13, "endpoint without 'instance'");
    expect_refused(with(text, "device: d, ", ""), 10, "instance without 'device'");
}

TEST(Reader, TypesAreStrict)
{
    const std::string text = small();
    for (const char* count : {"'4'", "4.0", "4.5", "true", "0x4", "04", "1_0", "1e1", "4294967296", "[4]", "{}"})
        expect_refused(with(text, "count: 4", std::string("count: ") + count), 5, "count");
    EXPECT_EQ(load(with(text, "count: 4", "count: +4")).graph.node_count(), 12U);
    for (const char* name : {"4", "4.5", "true", "yes", "[a]", "{a: b}"})
        expect_refused(with(text, "{name: e}", std::string("{name: e, description: ") + name + "}"), 11, "text");
    EXPECT_EQ(load(with(text, "{name: e}", "{name: e, description: '4'}")).graph.node_count(), 12U);
    expect_refused(with(text, "links: [{name: e}]", "links: {name: e}"), 11, "is a mapping; expected a list");
    expect_refused(with(text, "[{name: l}]", "[l]"), 7, "the link is the text 'l'");
    expect_refused("- a\n- b\n", 1, "the document is a list");
    expect_refused("", 0, "is empty");
    expect_refused("a: [\n", 2, "not readable as YAML or JSON");
    expect_refused(small() + "---\nname: other\n", 15, "second YAML document");
}

TEST(Reader, NamesKeepToTheirCharacters)
{
    for (const char* name : {"a.b", "a/b", "a:b", "a+b", "", "\\u00e4"})
        expect_refused(with(small(), "{name: l}", std::string("{name: l}, {name: \"") + name + "\"}"), 7,
            "is not allowed");
    const LoadedGraph loaded = load(with(small(), "{name: l}", "{name: l}, {name: 'A b-c_(d)>e<[0]\t'}"));
    EXPECT_EQ(loaded.graph.node_count(), 12U);
}

TEST(Reader, UnknownKeysNameTheNearestOne)
{
    const std::string text = with(small(), "count: 2, choice", "cuont: 1, count: 2, choice");
    expect_doubted(text, 6, "unknown component key 'cuont'");
    EXPECT_NE(test::problems(text)[0].find("did you mean 'count'?"), std::string::npos);
    expect_doubted(small() + "extra: 1\n", 14, "unknown infrastructure key 'extra'");
}

TEST(Reader, RepeatedKeysAndEmptyValues)
{
    expect_doubted(with(small(), "count: 4", "count: 3, count: 4"), 5, "given twice");
    expect_doubted(with(small(), "{name: e}", "{name: e, description: }"), 11, "has no value");
    expect_refused(with(small(), "count: 4", "count: ~"), 5, "without 'count'", true);
}

TEST(Reader, EnumsNameTheNearestOne)
{
    const auto choice = test::problems(with(small(), "choice: switch", "choice: swich"));
    ASSERT_EQ(choice.size(), 1U);
    EXPECT_NE(choice[0].find("did you mean 'switch'?"), std::string::npos);
    const auto scheme = test::problems(with(small(), "many2many", "many2mny"));
    ASSERT_EQ(scheme.size(), 1U);
    EXPECT_NE(scheme[0].find("did you mean 'many2many'?"), std::string::npos);
}

TEST(Reader, ComponentChoices)
{
    const auto type_of = [](const std::string& component, bool lenient = false) {
        return load(small("{ep1: {component: sw}, ep2: {component: sw}, scheme: many2many, link: l}",
                        "{ep1: {instance: h, component: sw}, ep2: {instance: h, component: sw}, "
                        "scheme: many2many, link: e}",
                        component),
            lenient)
            .graph.type(0);
    };
    EXPECT_EQ(type_of("{name: xpu, count: 1, choice: memory}"), "memory");
    EXPECT_EQ(type_of("{name: xpu, count: 1, choice: custom, custom: {type: fpga}}"), "fpga");
    EXPECT_EQ(type_of("{name: xpu, count: 1, choice: custom}"), "custom");
    EXPECT_EQ(type_of("{name: xpu, count: 1, choice: xpu, xpu: {}}"), "xpu");
    EXPECT_EQ(type_of("{name: xpu, count: 1, choice: npu}"), "xpu");
    EXPECT_EQ(type_of("{name: xpu, count: 1, custom: {type: fpga}}", true), "fpga");
    EXPECT_EQ(type_of("{name: xpu, count: 1, nic: {}}", true), "nic");
    // The later of two that disagree.
    EXPECT_EQ(type_of("{name: xpu, count: 1, choice: xpu, nic: {}}", true), "nic");
    EXPECT_EQ(type_of("{name: xpu, count: 1, nic: {}, choice: xpu}", true), "xpu");

    const std::string plain = "{name: xpu, count: 4, choice: xpu}";
    expect_doubted(with(small(), plain, "{name: xpu, count: 4, xpu: {}}"), 5, "without 'choice'");
    expect_doubted(with(small(), plain, "{name: xpu, count: 4, choice: xpu, nic: {}}"), 5, "both 'xpu' and 'nic'");
    expect_doubted(with(small(), plain, "{name: xpu, count: 4, choice: xpu, xpu: {a: b}}"), 5, "marker key 'a'");
    expect_refused(with(small(), plain, "{name: xpu, count: 4, choice: custom, custom: {}}"), 5, "without 'type'");
}

TEST(Reader, NpuIsXpuWithANotice)
{
    const LoadedGraph loaded = load(with(small(), "choice: xpu", "choice: npu"));
    ASSERT_EQ(loaded.notices.size(), 1U);
    EXPECT_EQ(loaded.notices[0].line, 5);
    EXPECT_NE(loaded.notices[0].text.find("xpu"), std::string::npos);
    EXPECT_EQ(loaded.graph.type(0), "xpu");
}

TEST(Reader, NamesAreUnique)
{
    expect_doubted(with(small(), "{name: l}", "{name: l}, {name: l}"), 7, "a second link is named 'l'");
    expect_doubted(with(small(), "[{name: h,", "[{name: h, device: d, count: 1}, {name: h,"), 10,
        "a second instance is named 'h'");
    expect_doubted(with(small(), "devices:\n", "devices:\n- {name: d, components: [], links: [], edges: []}\n"), 4,
        "a second device is named 'd'");
    const std::string twice = with(small(), "  - {name: sw", "  - {name: xpu, count: 2, choice: cpu}\n  - {name: sw");
    expect_doubted(twice, 6, "a second component is named 'xpu'");
    // Four nodes stay, of the type of the second one; its count of two is what slices mean.
    const LoadedGraph merged = load(twice, true);
    EXPECT_EQ(merged.graph.node_count(), 12U);
    EXPECT_EQ(merged.graph.type(0), "cpu");
    EXPECT_EQ(merged.graph.edge_count(), 2U * 2 * 2 + 1);
}

TEST(Reader, CountsOfZeroAndBelow)
{
    expect_doubted(with(small(), "count: 2}]", "count: 2}, {name: g, device: d, count: -2}]"), 10,
        "instance count is -2");
    const std::string none = "devices:\n- name: d\n  components: [{name: x, count: 0, choice: xpu}, "
                             "{name: y, count: 1, choice: cpu}]\n  links: []\n  edges: []\n"
                             "instances: [{name: i, device: d, count: 1}]\n";
    EXPECT_EQ(load(none).graph.node_count(), 1U);
}

TEST(Reader, UnitsConvert)
{
    EdgeKind kind = only_kind("{bandwidth: {gigabits_per_second: 100}, latency: {ns: 250}}");
    EXPECT_EQ(kind.bandwidth->text(), "100 Gbps");
    EXPECT_EQ(kind.bytes_per_second, 12'500'000'000U);
    EXPECT_EQ(kind.latency->text(), "250 ns");
    EXPECT_EQ(kind.latency_ps, 250'000U);
    kind = only_kind("{bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 112.5}, latency: {us: 0.5}}");
    EXPECT_EQ(kind.bandwidth->text(), "112.5 GBps");
    EXPECT_EQ(kind.bytes_per_second, 112'500'000'000U);
    EXPECT_EQ(kind.latency_ps, 500'000U);
    kind = only_kind("{bandwidth: {gigatransfers_per_second: 32}, latency: {ms: 0.001}}");
    EXPECT_EQ(kind.bandwidth->text(), "32 GT/s");
    EXPECT_FALSE(kind.bytes_per_second);
    EXPECT_EQ(kind.latency_ps, 1'000'000U);
    // Not whole: to the nearest byte and picosecond. Exponents are numbers.
    kind = only_kind("{bandwidth: {gigabits_per_second: 0.0000001234}, latency: {ns: 0.0016}}");
    EXPECT_EQ(kind.bytes_per_second, 15U);
    EXPECT_EQ(kind.latency_ps, 2U);
    EXPECT_EQ(only_kind("{bandwidth: {gigabits_per_second: 1e3}}").bytes_per_second, 125'000'000'000U);
    // A choice alone states no value.
    kind = only_kind("{bandwidth: {choice: gigabits_per_second}, latency: {choice: ns}}");
    EXPECT_FALSE(kind.bandwidth);
    EXPECT_FALSE(kind.latency);
}

TEST(Reader, UnitsThatDisagree)
{
    const std::string two = "{bandwidth: {gigabits_per_second: 100, gigabytes_per_second: 7}}";
    expect_doubted(physical(two), 5, "more than one unit");
    EXPECT_EQ(only_kind(two, true).bandwidth->text(), "7 GBps");
    const std::string later = "{bandwidth: {gigabytes_per_second: 7, choice: gigabits_per_second}}";
    expect_doubted(physical(later), 5, "more than one unit");
    EXPECT_FALSE(only_kind(later, true).bandwidth);
    const std::string earlier = "{latency: {choice: ns, us: 1}}";
    expect_doubted(physical(earlier), 5, "more than one unit");
    EXPECT_EQ(only_kind(earlier, true).latency->text(), "1 us");
}

TEST(Reader, NamesOnSeveralLines)
{
    expect_doubted(with(small(), "name: small", "name: \"sm\\nall\""), 1, "has a line break");
}

TEST(Reader, UnitsWithoutAValue)
{
    expect_doubted(physical("{bandwidth: {gigabytes_per_second: null}}"), 5,
        "bandwidth field 'gigabytes_per_second' has no value");
    expect_doubted(physical("{latency: {ns: , us: 1}}"), 5, "latency field 'ns' has no value");
    expect_doubted(physical("{bandwidth: {}}"), 5, "bandwidth is an empty mapping");
}

TEST(Reader, ValuesOutOfRange)
{
    for (const char* value : {"0", "-1", "1e300", "0.0000000001"})
        expect_doubted(physical(std::string("{bandwidth: {gigabits_per_second: ") + value + "}}"), 5, "bandwidth is");
    expect_doubted(physical("{latency: {ns: -1}}"), 5, "latency is -1 ns");
    EXPECT_EQ(only_kind("{latency: {ns: 0}}").latency_ps, 0U);
    expect_refused(physical("{bandwidth: {gigabits_per_second: .inf}}"), 5, "unusual notation");
    expect_refused(physical("{bandwidth: {gigabits_per_second: '100'}}"), 5, "is the text '100'");
    expect_refused(physical("{bandwidth: {choice: gbps}}"), 5, "bandwidth choice");
}

TEST(Reader, ForeignFormsGetOneMessage)
{
    expect_refused("name: x\nconnections: [a.0.l.b.0]\n", 2, "before InfraGraph 0.4");
    expect_refused("devices:\n- name: x\n  components:\n  - {name: a, type: cpu}\n", 4, "before InfraGraph 0.4");
    expect_refused("infrastructure:\n  name: x\n", 1, "before InfraGraph 0.4");
    expect_refused("nodes: []\nedges: []\n", 1, "annotation request");
    expect_refused("name: x\ncomponents: []\nlinks: []\nedges: []\n", 1, "bare device");
}

TEST(Reader, AllProblemsAtOnce)
{
    const std::string text = "name: a.b\n"
                             "devices:\n"
                             "- name: d\n"
                             "  components:\n"
                             "  - {name: x, count: '4', choice: xpu}\n"
                             "  - {name: y, count: 2, choice: gpu}\n"
                             "  - {name: z, count: 2, choice: nic}\n"
                             "  links: [{name: l}]\n"
                             "  edges:\n"
                             "  - {ep1: {component: x}, ep2: {component: y}, scheme: mesh, link: l}\n"
                             "  - {ep1: {component: 'z[2]'}, ep2: {component: x}, scheme: one2one, link: m}\n"
                             "instances: [{name: i, device: e, count: 1}]\n";
    const std::vector<std::string> found = test::problems(text);
    ASSERT_EQ(found.size(), 7U);
    const int lines[] = {1, 5, 6, 10, 11, 11, 12};
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_EQ(found[i].rfind("doc.yaml:" + std::to_string(lines[i]) + ":", 0), 0U) << found[i];
}

TEST(Reader, AnchorsAndMergeKeys)
{
    const std::string text = "devices:\n"
                             "- name: d\n"
                             "  components:\n"
                             "  - &base {name: x, count: 2, choice: xpu}\n"
                             "  - {<<: *base, name: y}\n"
                             "  links: &links [{name: l}]\n"
                             "  edges: []\n"
                             "- {name: e, components: [], links: *links, edges: []}\n"
                             "instances: [{name: i, device: d, count: 1}]\n";
    EXPECT_EQ(load(text).graph.node_count(), 4U);
}

TEST(Reader, BombsAreRefused)
{
    std::string aliases = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        aliases += "b" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int k = 0; k < 10; ++k) aliases += (k == 0 ? "" : ", ") + before;
        aliases += "]\n";
    }
    expect_refused(aliases, 8, "too many elements");
    expect_refused("a: &x [*x]\n", 1, "alias");
    expect_refused("a: " + std::string(300, '[') + std::string(300, ']'), 1, "nested too deeply");
    EXPECT_FALSE(test::problems("a: " + std::string(100000, '[')).empty());
    EXPECT_FALSE(test::problems(std::string(100000, '-')).empty());
    EXPECT_FALSE(test::problems("{\"a\": " + std::string(100000, '{')).empty());
}

TEST(Reader, GzipIsReadThroughTheFile)
{
    EXPECT_THROW(load_infrastructure("/nonexistent/doc.yaml"), InputError);
    const test::ScratchFolder folder;
    const std::string path = folder.file("document.yaml.gz");
    gzFile file = gzopen(path.c_str(), "wb");
    gzputs(file, small().c_str());
    gzclose(file);
    EXPECT_EQ(load_infrastructure(path).graph.node_count(), 12U);
}

}  // namespace
}  // namespace weft::reader_test
