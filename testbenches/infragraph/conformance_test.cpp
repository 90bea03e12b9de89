// The shared InfraGraph documents against the counts, digests and lists recorded for them.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "infragraph/graph_response.h"
#include "infragraph/load.h"
#include "infragraph/query.h"
#include "testbenches/infragraph/sha256.h"

namespace weft::conformance_test {
namespace {

const std::string folder = std::string(WEFT_SHARED_DIR) + "/infragraph/";

class InfraGraphConformance : public ::testing::Test {
protected:
    void SetUp() override
    {
        if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is absent";
    }
};

LoadOptions options(bool lenient)
{
    LoadOptions result;
    result.lenient = lenient;
    return result;
}

std::string node_list(const Graph& graph)
{
    std::vector<std::string> names;
    for (NodeId id = 0; id < graph.node_count(); ++id) names.push_back(graph.node(id).name);
    std::sort(names.begin(), names.end());
    std::string out;
    for (const std::string& name : names) out += name + "\n";
    return out;
}

// One sorted line for each edge: both ends in order and what `rest` makes of it.
template <typename Rest>
std::string edge_list(const Graph& graph, const char* between, const Rest& rest)
{
    std::vector<std::string> lines;
    for (EdgeId id = 0; id < graph.edge_count(); ++id) {
        const std::string& a = graph.node(graph.edge(id).a).name;
        const std::string& b = graph.node(graph.edge(id).b).name;
        lines.push_back(std::min(a, b) + between + std::max(a, b) + between + rest(graph.kind(id)));
    }
    std::sort(lines.begin(), lines.end());
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
}

std::string edge_list_for_digest(const Graph& graph)
{
    return edge_list(graph, " ", [](const EdgeKind& kind) {
        std::string link = kind.link;
        std::replace(link.begin(), link.end(), ' ', '_');
        return link;
    });
}

// What golden.json says of a document, made from our graph. `hops` names the pairs to measure.
nlohmann::json measured(const Graph& graph, const nlohmann::json& hops)
{
    nlohmann::json out;
    out["nodes"] = graph.node_count();
    out["edges"] = graph.edge_count();
    std::map<std::string, int> types;
    for (NodeId id = 0; id < graph.node_count(); ++id) ++types[graph.type(id)];
    out["types"] = types;
    std::map<std::string, int> links;
    for (EdgeId id = 0; id < graph.edge_count(); ++id) ++links[graph.kind(id).link];
    out["links"] = links;
    const Connectivity connected = connectivity(graph);
    out["comps"] = connected.components;
    out["zero_degree"] = connected.isolated.size();
    out["nodes_sha256"] = test::sha256_hex(node_list(graph));
    out["edges_sha256"] = test::sha256_hex(edge_list_for_digest(graph));
    out["xpu_hops"] = nlohmann::json::array();
    for (const auto& pair : hops) {
        const auto from = graph.find(pair[0].get<std::string>());
        const auto to = graph.find(pair[1].get<std::string>());
        const auto path = from && to ? shortest_path(graph, *from, *to) : std::nullopt;
        out["xpu_hops"].push_back({pair[0], pair[1], path ? static_cast<int>(path->size()) - 1 : -1});
    }
    return out;
}

TEST(Sha256, KnownDigests)
{
    EXPECT_EQ(test::sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(test::sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// Our own documents, with figures worked out by hand from their text: a clone without the shared ones tests the readers, too.
TEST(InfraGraphOwnDocuments, CountsAndDistances)
{
    struct Own {
        const char* file;
        std::size_t nodes;
        std::size_t edges;
        std::map<std::string, int> types;
        std::map<std::string, int> links;
        nlohmann::json hops;
    };
    const Own documents[] = {
        {"plans/box_4", 5, 4, {{"xpu", 4}, {"switch", 1}}, {{"up", 4}}, {{"b.0.xpu.0", "b.0.xpu.3", 2}}},
        // 8 servers of 2, 4 leaves and 3 spines of 1 + 5; a leaf apart: card, port, chip, port, twice over the spine.
        {"clos_8/clos_8", 58, 63, {{"xpu", 8}, {"nic", 8}, {"switch", 7}, {"port", 35}},
            {{"pcie", 8}, {"ic", 35}, {"server_link", 8}, {"spine_link", 12}},
            {{"host.0.xpu.0", "host.1.xpu.0", 6}, {"host.0.xpu.0", "host.7.xpu.0", 12}}},
        {"study_dimensions/grid_4x4", 40, 48, {{"xpu", 16}, {"switch", 8}, {"port", 16}},
            {{"inside", 16}, {"ic", 16}, {"across", 16}},
            {{"host.0.xpu.0", "host.0.xpu.1", 2}, {"host.0.xpu.0", "host.3.xpu.0", 4},
                {"host.0.xpu.0", "host.1.xpu.1", 6}}}};
    for (const Own& own : documents) {
        SCOPED_TRACE(own.file);
        const std::string path = std::string(WEFT_SOURCE_DIR) + "/examples/" + own.file + ".yaml";
        const LoadedGraph loaded = load_infrastructure(path, options(false));
        const nlohmann::json actual = measured(loaded.graph, own.hops);
        EXPECT_EQ(actual["nodes"], own.nodes);
        EXPECT_EQ(actual["edges"], own.edges);
        EXPECT_EQ(actual["types"], nlohmann::json(own.types));
        EXPECT_EQ(actual["links"], nlohmann::json(own.links));
        EXPECT_EQ(actual["comps"], 1);
        EXPECT_EQ(actual["zero_degree"], 0);
        EXPECT_EQ(actual["xpu_hops"], own.hops);
    }
    const LoadedGraph box =
        load_infrastructure(std::string(WEFT_SOURCE_DIR) + "/examples/plans/box_4.yaml", options(false));
    EXPECT_EQ(node_list(box.graph), "b.0.sw.0\nb.0.xpu.0\nb.0.xpu.1\nb.0.xpu.2\nb.0.xpu.3\n");
    EXPECT_EQ(edge_list_for_digest(box.graph),
        "b.0.sw.0 b.0.xpu.0 up\nb.0.sw.0 b.0.xpu.1 up\nb.0.sw.0 b.0.xpu.2 up\nb.0.sw.0 b.0.xpu.3 up\n");
}

TEST_F(InfraGraphConformance, GoldenDocuments)
{
    const auto golden = nlohmann::json::parse(read_text_file(folder + "golden.json"));
    ASSERT_GE(golden.size(), 40U);
    for (const auto& [file, expected] : golden.items()) {
        SCOPED_TRACE(file);
        // The one blueprint with a defect.
        const bool lenient = file == "device_dgx2.yaml";
        const LoadedGraph loaded = load_infrastructure(folder + file, options(lenient));
        const auto actual = measured(loaded.graph, expected.value("xpu_hops", nlohmann::json::array()));
        bool untyped = false;
        for (const auto& [key, value] : expected.items()) {
            if (key == "devices") {
                EXPECT_EQ(loaded.graph.infrastructure().devices.size(), value.get<std::size_t>());
            } else if (key == "instances") {
                nlohmann::json instances = nlohmann::json::array();
                for (const Instance& instance : loaded.graph.infrastructure().instances)
                    instances.push_back({instance.name, instance.device, instance.count});
                EXPECT_EQ(instances, value);
            } else {
                // Custom components without a type: the reference leaves them None, ours are 'custom'.
                nlohmann::json wanted = value;
                if (key == "types" && wanted.contains("None")) {
                    wanted["custom"] = wanted["None"];
                    wanted.erase("None");
                    untyped = true;
                }
                ASSERT_TRUE(actual.contains(key)) << key;
                EXPECT_EQ(actual[key], wanted) << key;
            }
        }
        const bool twice = std::any_of(loaded.notices.begin(), loaded.notices.end(),
            [](const Notice& notice) { return notice.text.find("are defined twice") != std::string::npos; });
        EXPECT_EQ(twice, file.rfind("composed_dgx_h100_cx5_qsfp28.", 0) == 0);  // as the document has it
        const bool parallel = std::any_of(loaded.notices.begin(), loaded.notices.end(),
            [](const Notice& notice) { return notice.text.find("are defined again with link") != std::string::npos; });
        EXPECT_EQ(parallel, file == "synthetic_parallel_and_duplicate_edges.yaml");
        EXPECT_EQ(loaded.notices.empty(), !lenient && !untyped && !parallel && !twice);
    }
}

// The comparison above notices an edge that is not the golden one.
TEST_F(InfraGraphConformance, DigestsNoticeAChange)
{
    std::string text = read_text_file(folder + "device_switch_16.yaml");
    const Graph before = load_infrastructure_text("a", text).graph;
    const std::size_t place = text.find("component: port");
    ASSERT_NE(place, std::string::npos);
    text.replace(place, 15, "component: 'port[0:15]'");
    const Graph after = load_infrastructure_text("b", text).graph;
    EXPECT_EQ(node_list(before), node_list(after));
    EXPECT_NE(test::sha256_hex(edge_list_for_digest(before)), test::sha256_hex(edge_list_for_digest(after)));
}

TEST_F(InfraGraphConformance, ExpandedLists)
{
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "expanded")) {
        const std::string name = entry.path().filename().string();
        const std::size_t dot = name.find('.');
        SCOPED_TRACE(name);
        const std::string document = name.substr(0, dot) + ".yaml";
        const Graph graph = load_infrastructure(folder + document, options(document == "device_dgx2.yaml")).graph;
        std::vector<std::string> lines;
        std::istringstream stream(read_text_file(entry.path().string()));
        for (std::string line; std::getline(stream, line);) lines.push_back(line);
        std::sort(lines.begin(), lines.end());
        std::string expected;
        for (const std::string& line : lines) expected += line + "\n";
        if (name.substr(dot) == ".edges.txt") {
            EXPECT_EQ(edge_list(graph, "\t",
                          [](const EdgeKind& kind) {
                              return kind.link + "\t" + (kind.bandwidth ? kind.bandwidth->text() : "-") + "\t" +
                                  (kind.latency ? kind.latency->text() : "-");
                          }),
                expected);
        } else {
            std::vector<std::string> nodes;
            for (NodeId id = 0; id < graph.node_count(); ++id)
                nodes.push_back(graph.node(id).name + "\t" + graph.type(id) + "\n");
            std::sort(nodes.begin(), nodes.end());
            std::string actual;
            for (const std::string& node : nodes) actual += node;
            EXPECT_EQ(actual, expected);
        }
        ++compared;
    }
    EXPECT_GE(compared, 20);
}

TEST_F(InfraGraphConformance, DefectDocumentsAreRefusedWithALine)
{
    int refused = 0;
    std::vector<std::string> files{folder + "device_dgx2.yaml"};
    for (const auto& entry : std::filesystem::directory_iterator(folder + "invalid"))
        files.push_back(entry.path().string());
    for (const std::string& file : files) {
        SCOPED_TRACE(file);
        try {
            load_infrastructure(file);
            ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
            ++refused;
            std::cout << error.diagnostics().front().text() << "\n";
            EXPECT_EQ(error.diagnostics().front().file, file);
            // Only the document without instances is wrong as a whole.
            if (file.find("no_instances") == std::string::npos) {
                EXPECT_GT(error.diagnostics().front().line, 0);
            }
            EXPECT_FALSE(error.diagnostics().front().expected.empty());
        }
    }
    EXPECT_GE(refused, 23);
}

TEST_F(InfraGraphConformance, DoubtfulDocumentsAreAcceptedWhenLenient)
{
    struct Expected {
        const char* file;
        std::uint32_t nodes;
        std::uint32_t edges;
        std::uint32_t without_attributes;
        std::size_t isolated;
    };
    const Expected cases[] = {{"accepted_unknown_component", 12, 1, 0, 10},
        {"accepted_slice_out_of_range", 16, 25, 4, 0}, {"accepted_negative_index", 14, 5, 2, 8},
        {"accepted_undefined_link", 12, 17, 0, 0}, {"accepted_unknown_key", 12, 17, 0, 0},
        {"accepted_choice_implied", 12, 17, 0, 0}};
    for (const Expected& expected : cases) {
        SCOPED_TRACE(expected.file);
        const LoadedGraph loaded = load_infrastructure(folder + "invalid/" + expected.file + ".yaml", options(true));
        EXPECT_EQ(loaded.graph.node_count(), expected.nodes);
        EXPECT_EQ(loaded.graph.edge_count(), expected.edges);
        std::uint32_t bare = 0;
        for (NodeId id = 0; id < loaded.graph.node_count(); ++id) bare += loaded.graph.node(id).component == nullptr;
        EXPECT_EQ(bare, expected.without_attributes);
        EXPECT_EQ(connectivity(loaded.graph).isolated.size(), expected.isolated);
        ASSERT_FALSE(loaded.notices.empty());
        EXPECT_GT(loaded.notices.front().line, 0);
    }
    // Every other defect stays one, except the ring between two types of node.
    for (const auto& entry : std::filesystem::directory_iterator(folder + "invalid")) {
        const std::string name = entry.path().filename().string();
        if (name.rfind("accepted_", 0) == 0 || name == "ring_scheme.yaml") continue;
        SCOPED_TRACE(name);
        EXPECT_THROW(load_infrastructure(entry.path().string(), options(true)), InputError);
    }
    EXPECT_GT(load_infrastructure(folder + "invalid/ring_scheme.yaml", options(true)).graph.edge_count(), 0U);
    EXPECT_FALSE(load_infrastructure(folder + "device_dgx2.yaml", options(true)).notices.empty());
}

TEST_F(InfraGraphConformance, OtherFormsAreRefusedWithOneClearMessage)
{
    const std::map<std::string, std::string> forms{{"legacy_pre_0_4", "before InfraGraph 0.4"},
        {"device_documents", "bare device"}};
    for (const auto& [subfolder, words] : forms)
        for (const auto& entry : std::filesystem::directory_iterator(folder + subfolder))
            for (const bool lenient : {false, true}) {
                SCOPED_TRACE(entry.path().string());
                try {
                    load_infrastructure(entry.path().string(), options(lenient));
                    ADD_FAILURE() << "accepted";
                } catch (const InputError& error) {
                    EXPECT_EQ(error.diagnostics().size(), 1U);
                    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
                    EXPECT_GT(error.diagnostics().front().line, 0);
                }
            }
    EXPECT_THROW(load_infrastructure(folder + "annotation_request_closfabric.json"), InputError);
}

using AttributeSet = std::set<std::pair<std::string, std::string>>;

AttributeSet attribute_set(const nlohmann::json& list)
{
    AttributeSet set;
    for (const auto& entry : list)
        set.emplace(entry["attribute"].get<std::string>(), entry["value"].get<std::string>());
    return set;
}

// The annotations of a response without the order of its lists.
std::map<std::string, AttributeSet> flattened(const nlohmann::json& response)
{
    std::map<std::string, AttributeSet> out;
    const auto& annotations = response["annotations"];
    for (const auto& entry : annotations["nodes"])
        out["node " + entry["name"].get<std::string>()] = attribute_set(entry["attributes"]);
    for (const auto& entry : annotations["edges"])
        out["edge " + entry["ep1"].get<std::string>() + " " + entry["ep2"].get<std::string>()] =
            attribute_set(entry["attributes"]);
    for (const auto& entry : annotations["links"])
        out["link " + entry["name"].get<std::string>()] = attribute_set(entry["attributes"]);
    out["graph"] = attribute_set(annotations["graph"]);
    return out;
}

TEST_F(InfraGraphConformance, GraphResponsesAreReproduced)
{
    LoadOptions annotated;
    annotated.annotation_path = folder + "annotation_request_closfabric.json";
    const LoadedGraph loaded = load_infrastructure(folder + "closfabric.yaml", annotated);
    for (const auto& [name, scope] :
        {std::pair<std::string, ResponseScope>{"full", ResponseScope::full}, {"partial", ResponseScope::partial}}) {
        SCOPED_TRACE(name);
        const std::string recorded = read_text_file(folder + "graph_response_closfabric_" + name + ".json");
        const std::string ours = graph_response(loaded.graph, scope);
        EXPECT_EQ(flattened(nlohmann::json::parse(ours)), flattened(nlohmann::json::parse(recorded)));

        // Reading the recorded response gives the same annotated graph, without a word about it.
        const LoadedGraph again = load_infrastructure_text("response", recorded);
        EXPECT_EQ(again.form, Document::Form::graph_response);
        EXPECT_TRUE(again.notices.empty());
        EXPECT_EQ(flattened(nlohmann::json::parse(graph_response(again.graph, scope))),
            flattened(nlohmann::json::parse(recorded)));
        const LoadedGraph ours_again = load_infrastructure_text("ours", ours);
        EXPECT_EQ(graph_response(ours_again.graph, scope), ours);
    }
}

TEST_F(InfraGraphConformance, LargeDocumentTiming)
{
    const auto start = std::chrono::steady_clock::now();
    const LoadedGraph loaded = load_infrastructure(folder + "large_clos_ft_3t_r32_dgx_h100.yaml.gz");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(loaded.graph.node_count(), 76032U);
    std::cout << "file to graph, " << loaded.graph.node_count() << " nodes: " << seconds.count() << " s\n";
}

}  // namespace
}  // namespace weft::conformance_test
