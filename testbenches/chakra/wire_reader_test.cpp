#include "collectives/chakra/wire_reader.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"

namespace wire_reader_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

std::vector<Node> nodes_of(const std::string& path)
{
    WireReader reader(path);
    std::vector<Node> nodes;
    Node node;
    while (reader.next(node)) nodes.push_back(node);
    return nodes;
}

class WireReaderTest : public ::testing::Test {
protected:
    std::string refused(const std::string& bytes)
    {
        const std::string path = folder.write("bad.0.et", bytes);
        return refusal([&] { nodes_of(path); });
    }

    void expect_refused(const std::string& bytes, const std::string& text)
    {
        const std::string got = refused(bytes);
        EXPECT_NE(got.find(text), std::string::npos) << "got: " << got;
        EXPECT_EQ(got.find(folder.path() + "bad.0.et"), 0U) << got;
    }

    Folder folder;
};

}  // namespace

TEST_F(WireReaderTest, ReadsEveryMember)
{
    const std::string node =
        NodeText(7, 4, "gemm").control({1}).data({2, 300}).micros(25).integer("num_ops", 1000).flag("is_cpu_op", true);
    const std::vector<Node> nodes = nodes_of(folder.write("a.0.et", framed({node, NodeText(0, 0)})));
    ASSERT_EQ(nodes.size(), 2U);
    EXPECT_EQ(nodes[0].id, 7U);
    EXPECT_EQ(nodes[0].name, "gemm");
    EXPECT_EQ(nodes[0].type, NodeType::comp);
    EXPECT_EQ(nodes[0].ctrl_deps, (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(nodes[0].data_deps, (std::vector<std::uint64_t>{2, 300}));
    EXPECT_EQ(nodes[0].duration_ps, 25000000U);
    EXPECT_EQ(nodes[0].num_ops, 1000U);
    EXPECT_TRUE(nodes[0].on_cpu);
    EXPECT_EQ(nodes[0].line, 2);
    // A zero-length message is a node whose every field is 0.
    EXPECT_EQ(nodes[1].id, 0U);
    EXPECT_EQ(nodes[1].type, NodeType::invalid);
}

TEST_F(WireReaderTest, DependenciesPackedUnpackedAndMixed)
{
    NodeText node = comp(9);
    node.data({1, 2});
    node.fields().number(5, 3);
    node.data({4});
    EXPECT_EQ(nodes_of(folder.write("a.0.et", framed({node})))[0].data_deps, (std::vector<std::uint64_t>{1, 2, 3, 4}));
}

TEST_F(WireReaderTest, EmptyMetadataAndUnknownFieldsAreLegal)
{
    NodeText node = comp(1);
    node.fields().number(31, 5).text(32, "later").fixed64(33, 1).fixed32(34, 1);
    const std::string message = node;
    const std::string bytes = std::string(1, '\0') + varint(message.size()) + message;
    EXPECT_EQ(nodes_of(folder.write("a.0.et", bytes))[0].foreign_field, 0U);
}

TEST_F(WireReaderTest, MarksFieldsOfOlderLayouts)
{
    NodeText fields_above = comp(1);
    fields_above.fields().number(13, 1).number(18, 8);
    NodeText other_type = comp(2);
    other_type.fields().text(7, "int");
    const std::vector<Node> nodes = nodes_of(folder.write("a.0.et", framed({fields_above, other_type})));
    EXPECT_EQ(nodes[0].foreign_field, 13U);
    EXPECT_EQ(nodes[1].foreign_field, 7U);
}

TEST_F(WireReaderTest, GzipWhateverTheName)
{
    const std::string bytes = framed({comp(1), comp(2)});
    EXPECT_EQ(nodes_of(folder.write_gzip("a.0.et", bytes)).size(), 2U);
}

TEST_F(WireReaderTest, DamagedGzipIsRefused)
{
    std::string noise;
    for (unsigned i = 0; i < 4000; ++i) noise += static_cast<char>(i * 2654435761U >> 13);
    const std::string path = folder.write_gzip("a.0.et", framed({NodeText(1, 4, noise)}));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    EXPECT_NE(refusal([&] { nodes_of(path); }).find("cannot be read"), std::string::npos);
}

TEST_F(WireReaderTest, EveryFramingDefectHasItsMessage)
{
    const std::string good = framed({comp(1)});
    expect_refused("", "is empty");
    expect_refused(good + "\x80", "the file ends inside the length of message 3");
    expect_refused(good + "\xff\xff\xff\xff\x1f", "the length of message 3 takes more than 32 bits");
    expect_refused(good + "\xff\xff\xff\xff\xff\x01", "takes more than 32 bits");
    expect_refused(good + "\xff\xff\xff\xff\x0f", "message 3 announces 4294967295 bytes; expected at most 67108864");
    expect_refused(good + varint(longest_message) + "abc", "announces 67108864 bytes, but only 3 follow");
    expect_refused(good + "\x05", "message 3 announces 5 bytes, but only 0 follow");
    expect_refused(good + "\x02\x0f\x0f", "message 3 does not parse as a node");
    expect_refused(varint(std::string(comp(1)).size()) + std::string(comp(1)), "the first message");
    expect_refused("{\"workload_graph\": []}" + std::string(200, ' '),
        "JSON traces are recognised by a name ending in .json");
}

TEST_F(WireReaderTest, NamesByteAndMessage)
{
    const std::string good = framed({comp(1)});
    EXPECT_EQ(refused(good + "\x05"),
        folder.path() + "bad.0.et:3: byte " + std::to_string(good.size() + 1) +
            ": message 3 announces 5 bytes, but only 0 follow; expected a whole message");
}

TEST_F(WireReaderTest, WhatIsNoFileIsRefused)
{
    EXPECT_NE(refusal([&] { WireReader reader(folder.path()); }).find("is not a regular file"), std::string::npos);
    EXPECT_NE(refusal([&] { WireReader reader(folder.path() + "none"); }).find("cannot be read"), std::string::npos);
    EXPECT_NE(refusal([] { WireReader reader("/dev/zero"); }).find("is not a regular file"), std::string::npos);
}

TEST_F(WireReaderTest, DurationsThatDoNotFitAreRefused)
{
    expect_refused(framed({comp(1, ~std::uint64_t{0})}), "duration of 18446744073709551615 us");
}

}  // namespace wire_reader_test
