// A tree as bytes is the same tree.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "infragraph/yaml_tree.h"

namespace weft::packed_tree_test {
namespace {

void expect_same(const YamlTree& a, YamlTree::Id in_a, const YamlTree& b, YamlTree::Id in_b)
{
    ASSERT_EQ(a.kind(in_a), b.kind(in_b));
    EXPECT_EQ(a.line(in_a), b.line(in_b));
    EXPECT_EQ(a.describe(in_a), b.describe(in_b));
    ASSERT_EQ(a.size(in_a), b.size(in_b));
    for (std::uint32_t i = 0; i < a.size(in_a); ++i) {
        if (a.kind(in_a) == YamlTree::Kind::sequence) {
            expect_same(a, a.item(in_a, i), b, b.item(in_b, i));
        } else {
            expect_same(a, a.key(in_a, i), b, b.key(in_b, i));
            expect_same(a, a.value(in_a, i), b, b.value(in_b, i));
        }
    }
}

TEST(PackedTree, IsTheSameTreeWithItsLines)
{
    const YamlTree tree("t.yaml",
        "# of all kinds\na: 1\nb: &x [true, 1.5, null, 0x10, 'it''s', \"\\u00fc\"]\n\nlong:\n  c: *x\n  d: {}\n  e: "
        "[]\n" +
            std::string("f: ") + std::string(70'000, 'z') + "\n");
    const std::string bytes = tree.packed();
    const YamlTree other = YamlTree::unpacked(bytes);
    expect_same(tree, tree.root(), other, other.root());
    EXPECT_EQ(other.packed(), bytes);
    EXPECT_EQ(other.line(other.value(other.root(), 3)), 9);
    EXPECT_EQ(other.text(other.value(other.root(), 3)).size(), 70'000u);
}

TEST(PackedTree, BytesThatAreCutOffAreRefused)
{
    const std::string bytes = YamlTree("t.yaml", "a: [1, 2]\n").packed();
    EXPECT_THROW(YamlTree::unpacked(std::string_view(bytes).substr(0, 30)), std::out_of_range);
}

}  // namespace
}  // namespace weft::packed_tree_test
