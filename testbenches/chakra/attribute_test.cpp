#include "collectives/chakra/attribute.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "collectives/chakra/wire_reader.h"
#include "testbenches/chakra/trace_writer.h"

namespace attribute_test {

using namespace weft::chakra;
using namespace weft::chakra::testing;

namespace {

class AttributeTest : public ::testing::Test {
protected:
    Node read(const NodeText& node)
    {
        WireReader reader(folder.write("a.0.et", framed({node})));
        Node out;
        EXPECT_TRUE(reader.next(out));
        return out;
    }

    Node with(const std::string& name, const Fields& value, unsigned type = 7)
    {
        return read(NodeText(3, type, "n").attribute(name, value));
    }

    std::string refused(const std::string& name, const Fields& value, unsigned type = 7)
    {
        return refusal([&] { with(name, value, type); });
    }

    void expect_refused(const std::string& name, const Fields& value, const std::string& text, unsigned type = 7)
    {
        const std::string got = refused(name, value, type);
        EXPECT_NE(got.find("node 3 (n): attribute " + name + " is " + text), std::string::npos) << "got: " << got;
    }

    Folder folder;
};

Fields list_of_bools(const std::vector<bool>& values)
{
    Fields list;
    for (const bool value : values) list.number(1, value ? 1 : 0);
    return Fields().text(bool_list, list.bytes());
}

}  // namespace

TEST_F(AttributeTest, EveryIntegerMemberConverts)
{
    for (const unsigned member : {int32_val, int64_val, uint32_val, uint64_val})
        EXPECT_EQ(with("comm_size", Fields().number(member, 300)).comm_size, 300U) << member;
    for (const unsigned member : {sint32_val, sint64_val})
        EXPECT_EQ(with("comm_size", Fields().number(member, 600)).comm_size, 300U) << member;  // zigzag
    for (const unsigned member : {fixed32_val, sfixed32_val})
        EXPECT_EQ(with("comm_size", Fields().fixed32(member, 300)).comm_size, 300U) << member;
    for (const unsigned member : {fixed64_val, sfixed64_val})
        EXPECT_EQ(with("comm_size", Fields().fixed64(member, 300)).comm_size, 300U) << member;
    EXPECT_EQ(with("comm_size", Fields().number(bool_val, 1)).comm_size, 1U);
}

TEST_F(AttributeTest, IntegersConvertToBooleans)
{
    EXPECT_TRUE(with("is_cpu_op", Fields().number(int32_val, 1)).on_cpu);
    EXPECT_FALSE(with("is_cpu_op", Fields().number(int64_val, 0)).on_cpu);
    EXPECT_FALSE(read(NodeText(1, 4)).on_cpu);
}

TEST_F(AttributeTest, OtherTypesInIntegersAreRefused)
{
    expect_refused("comm_size", Fields().fixed64(double_val, 0), "a floating-point number; expected an integer");
    expect_refused("comm_type", Fields().fixed32(float_val, 0), "a floating-point number; expected an integer");
    expect_refused("comm_size", Fields().text(string_val, "1024"), "text \"1024\"; expected an integer");
    expect_refused("comm_size", Fields().text(bytes_val, "x"), "text \"x\"; expected an integer");
    expect_refused("is_cpu_op", Fields().text(string_val, "True"), "text \"True\"; expected an integer");
    expect_refused("comm_size", list_of_bools({true}), "a list; expected an integer");
    expect_refused("comm_size", Fields().text(10, Fields().number(1, 5).bytes()), "a list; expected an integer");
    expect_refused("num_ops", Fields().fixed64(double_val, 1), "a floating-point number; expected an integer", 4);
    expect_refused("tensor_size", Fields().text(string_val, "1"), "text", 2);
}

TEST_F(AttributeTest, NegativeSizesAndRanksAreRefused)
{
    const Fields minus_eight = Fields().number(int64_val, static_cast<std::uint64_t>(-8));
    expect_refused("comm_size", minus_eight, "negative: -8");
    expect_refused("comm_size", Fields().number(sint32_val, 15), "negative: -8");
    expect_refused("comm_size", Fields().fixed32(sfixed32_val, static_cast<std::uint32_t>(-8)), "negative: -8");
    expect_refused("comm_size", Fields().number(int64_val, std::uint64_t{1} << 63), "negative: -9223372036854775808");
    expect_refused("comm_dst", minus_eight, "negative: -8", 5);
    expect_refused("comm_src", Fields().number(uint64_val, ~std::uint64_t{0}), "18446744073709551615", 6);
    EXPECT_EQ(with("comm_tag", minus_eight, 5).tag, -8);
    EXPECT_EQ(with("comm_priority", minus_eight).priority, -8);
}

TEST_F(AttributeTest, SizesOfAProductAreAtLeastOne)
{
    for (const char* name : {"gemm_m", "gemm_n", "gemm_k", "gemm_count"})
        expect_refused(name, Fields().number(int64_val, 0), "0; expected an integer of at least 1", 4);
    EXPECT_EQ(with("gemm_k", Fields().number(int64_val, 3), 4).product.k, 3U);
}

TEST_F(AttributeTest, TextAndLists)
{
    EXPECT_EQ(with("pg_name", Fields().text(string_val, "12")).group, "12");
    EXPECT_EQ(with("pg_name", Fields().text(bytes_val, "12")).group, "12");
    expect_refused("pg_name", Fields().number(int64_val, 12), "12; expected text");
    EXPECT_EQ(with("involved_dim", list_of_bools({true, false})).involved_dim, (std::vector<bool>{true, false}));
    expect_refused("involved_dim", Fields().number(int64_val, 1), "the integer 1; expected a list of booleans");
    expect_refused("involved_dim", Fields().text(string_val, "x"), "of another type; expected a list of booleans");
}

TEST_F(AttributeTest, LastMemberWinsAndNoMemberIsNoValue)
{
    EXPECT_EQ(with("comm_size", Fields().number(int64_val, 1).number(uint32_val, 2)).comm_size, 2U);
    EXPECT_FALSE(with("comm_size", Fields()).comm_size.has_value());
    EXPECT_EQ(with("comm_size", Fields().number(int64_val, 0)).comm_size, 0U);  // written though 0
}

TEST_F(AttributeTest, MeansSomethingOnlyWhereItBelongs)
{
    // comm_type on a send is noise of custom collectives.
    EXPECT_FALSE(with("comm_type", Fields().number(int64_val, 5), 5).comm_type.has_value());
    EXPECT_EQ(refused("num_ops", Fields().text(string_val, "many")), "");
    EXPECT_EQ(refused("op_type", Fields().text(string_val, "gemm"), 4), "");
}

TEST_F(AttributeTest, NamesInMessagesAreMadePrintable)
{
    const NodeText node = NodeText(3, 7, "a\nb\x1b" + std::string(200, 'x')).text("comm_size", "\x01");
    const std::string text = refusal([&] { read(node); });
    EXPECT_NE(text.find("node 3 (a?b?xxx"), std::string::npos) << text;
    EXPECT_NE(text.find("text \"?\""), std::string::npos) << text;
    EXPECT_LT(text.size(), 300U + folder.path().size());
}

}  // namespace attribute_test
