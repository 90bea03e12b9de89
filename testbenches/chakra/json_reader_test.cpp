#include "collectives/chakra/json_reader.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"

namespace json_reader_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

class JsonReaderTest : public ::testing::Test {
protected:
    std::vector<Node> read(const std::string& text)
    {
        const std::unique_ptr<NodeReader> reader = open_trace_file(folder.write("a.0.json", text));
        std::vector<Node> nodes;
        Node node;
        while (reader->next(node)) nodes.push_back(node);
        EXPECT_FALSE(reader->next(node));
        return nodes;
    }

    void expect_refused(const std::string& text, const std::string& message)
    {
        const std::string got = refusal([&] { read(text); });
        EXPECT_NE(got.find(message), std::string::npos) << "got: " << got;
    }

    Folder folder;
};

std::string graph(const std::string& nodes) { return "{\"workload_graph\": [\n" + nodes + "\n]}"; }

}  // namespace

TEST_F(JsonReaderTest, ReadsNodesWithTheirLines)
{
    const std::vector<Node> nodes =
        read("{\"workload_name\": \"a ] } \\\" b\", \"ngpus\": 4, \"workload_graph\": [\n"
             "  {\"Id\": 5, \"Name\": \"x } ] \\\\\", \"NodeType\": 4, \"is_cpu_op\": true, \"runtime\": 3, "
             "\"data_deps\": []},\n"
             "  {\"Id\": 6, \"NodeType\": 7, \"data_deps\": [5], \"ctrlDeps\": [99], \"comm_type\": 2, "
             "\"comm_size\": 64}\n"
             "], \"soc\": {\"a\": [1, {}]}}\n");
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].name, "x } ] \\");
    EXPECT_EQ(nodes[0].duration_ps, 3000000U);
    EXPECT_TRUE(nodes[0].on_cpu);
    EXPECT_EQ(nodes[0].line, 2);
    EXPECT_EQ(nodes[1].line, 3);
    EXPECT_EQ(nodes[1].data_deps, (std::vector<std::uint64_t>{5}));
    EXPECT_TRUE(nodes[1].ctrl_deps.empty());
    EXPECT_EQ(nodes[1].comm_type, CollectiveType::all_gather);
    EXPECT_EQ(nodes[1].comm_size, 64U);
    EXPECT_TRUE(read(graph("")).empty());
}

TEST_F(JsonReaderTest, ADurationOfZeroIsStated)
{
    const std::vector<Node> nodes = read(graph("{\"Id\": 1, \"NodeType\": 4, \"data_deps\": [], \"runtime\": 0},\n"
                                               "{\"Id\": 2, \"NodeType\": 4, \"data_deps\": []}"));
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(recorded_time_ps(nodes[0]), 0U);
    EXPECT_EQ(recorded_time_ps(nodes[1]), 1000U);
}

TEST_F(JsonReaderTest, RequiredMembersAndTypes)
{
    expect_refused(graph(R"({"NodeType": 4, "data_deps": []})"), "a.0.json:2: a node without Id");
    expect_refused(graph(R"({"Id": 1, "data_deps": []})"), "a node without NodeType");
    expect_refused(graph(R"({"Id": 1, "NodeType": 4})"), "a node without data_deps");
    expect_refused(graph(R"({"Id": 1, "NodeType": 4, "data_deps": [], "runtime": 5, "runtime": 7})"),
        "a.0.json:2: key \"runtime\" twice; expected once");
    expect_refused(graph(R"({"Id": -1, "NodeType": 4, "data_deps": []})"), "Id is -1");
    expect_refused(graph(R"({"Id": 1, "NodeType": "COMP", "data_deps": []})"), "NodeType is \"COMP\"");
    expect_refused(graph(R"({"Id": 1, "NodeType": 4, "data_deps": [1.5]})"), "data_deps is 1.5");
    expect_refused(graph(R"({"Id": 1, "NodeType": 4, "data_deps": 3})"), "data_deps is not an array");
    expect_refused(graph(R"({"Id": 1, "NodeType": 7, "data_deps": [], "comm_size": "8"})"),
        "a.0.json:2: node 1: attribute comm_size is text \"8\"");
    expect_refused(graph(R"({"Id": 1, "NodeType": 7, "data_deps": [], "comm_size": -8})"), "negative: -8");
    expect_refused(graph("5"), "an element of workload_graph that is not an object");
}

TEST_F(JsonReaderTest, OtherJsonIsRefusedWithAHint)
{
    expect_refused(R"({"schema": "1.0.2-chakra.0.0.4", "pid": 1, "nodes": [{}]})", "is a PyTorch host trace");
    expect_refused(R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}],
        "traceEvents": [{"ph": "X", "name": "aten::mm"}]})",
        "a.0.json:2: is a profile of PyTorch or another program (it has \"traceEvents\"), not a simulator trace; "
        "expected "
        "protobuf traces PREFIX.<rank>.et, or JSON with a \"workload_graph\"; of each rank make one with "
        "chakra_trace_link "
        "--rank N --chakra-host-trace HOST.json --chakra-device-trace PROFILE.json --output-file LINKED.json and "
        "chakra_converter PyTorch --input LINKED.json --output PREFIX.N.et");
    expect_refused("{}{\"id\": \"1\"}", "output of chakra_jsonizer");
    expect_refused("{\"version\": \"0.0.4\"}{\"id\": \"1\"}", "output of chakra_jsonizer");
    expect_refused("{\"dataDeps\": []}", "output of chakra_jsonizer");
    expect_refused("{\"graph\": []}", "has no \"workload_graph\"");
}

TEST_F(JsonReaderTest, BrokenDocumentsAreRefused)
{
    expect_refused("", "is empty");
    expect_refused("[1]", "a.0.json:1: found '['; expected '{'");
    expect_refused("{\"workload_graph\": 5}", "found '5'; expected '['");
    expect_refused("{\"workload_graph\": [\n{\"Id\"", "a.0.json:2: the file ends inside a value");
    expect_refused("{\"workload_graph\": [", "not valid JSON");
    expect_refused(graph(R"({"Id": 1 "NodeType": 4})"), "a.0.json:2: not valid JSON");
    expect_refused(graph("") + " x", "more after the end of the trace");
    expect_refused("{\"a\": nonsense}", "the value of \"a\" is not valid JSON");
    expect_refused("{5: 1}", "a key that is not text");
    expect_refused("{\"a\" 1}", "found '1'; expected ':'");
    expect_refused(graph("{]"), "not valid JSON");
}

TEST_F(JsonReaderTest, DeepNestingEndsInARefusal)
{
    const std::string deep(300000, '[');
    expect_refused(graph("{\"Id\": " + deep + std::string(300000, ']') + "}"), "Id is an array");
    expect_refused(graph("{\"NodeType\": 4, \"data_deps\": [], \"Id\": " + deep + std::string(300000, ']') + "}"),
        "Id is an array");
    expect_refused(graph(deep), "the file ends inside a value");
}

TEST_F(JsonReaderTest, PassesAByteOrderMark)
{
    const std::string document = graph(R"({"Id": 1, "NodeType": 4, "data_deps": []})");
    Node node;
    EXPECT_TRUE(open_trace_file(folder.write("b.0.json", "\xef\xbb\xbf" + document))->next(node));
    expect_refused("\xef\xbb" + document.substr(1), "found '\"'");
}

TEST_F(JsonReaderTest, ReadsGzip)
{
    const std::string path = folder.write_gzip("b.0.json", graph(R"({"Id": 1, "NodeType": 4, "data_deps": []})"));
    Node node;
    EXPECT_TRUE(open_trace_file(path)->next(node));
}

}  // namespace json_reader_test
