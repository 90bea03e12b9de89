// Slices and paths.
#include <gtest/gtest.h>

#include "infragraph/endpoint.h"

namespace weft::endpoint_test {
namespace {

// The indices of a slice over n elements, "error" for one that is not understood.
std::string indices(const std::string& text, std::int64_t n)
{
    Slice slice;
    std::string problem;
    if (!parse_slice(text, slice, problem)) return "error";
    const IndexRange range = slice.range(n);
    std::string out;
    for (std::uint64_t i = 0; i < range.count; ++i) out += (i == 0 ? "" : " ") + std::to_string(range.at(i));
    return out;
}

TEST(Slices, Forms)
{
    EXPECT_EQ(indices(":", 4), "0 1 2 3");
    EXPECT_EQ(indices("::", 4), "0 1 2 3");
    EXPECT_EQ(indices("2", 4), "2");
    EXPECT_EQ(indices("1:3", 4), "1 2");
    EXPECT_EQ(indices("2:", 4), "2 3");
    EXPECT_EQ(indices(":2", 4), "0 1");
    EXPECT_EQ(indices("0:8:2", 8), "0 2 4 6");
    EXPECT_EQ(indices("1::2", 8), "1 3 5 7");
    EXPECT_EQ(indices("::3", 8), "0 3 6");
    EXPECT_EQ(indices("0:3:2", 8), "0 2");
    EXPECT_EQ(indices("5:2:-1", 8), "5 4 3");
    EXPECT_EQ(indices("7:0:-3", 8), "7 4 1");
    EXPECT_EQ(indices(" 1 : 3 ", 4), "1 2");
}

TEST(Slices, NotPython)
{
    EXPECT_EQ(indices("::-1", 4), "");
    EXPECT_EQ(indices(":-1", 4), "");
    EXPECT_EQ(indices("-1", 4), "-1");
    EXPECT_EQ(indices("2:6", 4), "2 3 4 5");
    EXPECT_EQ(indices("3:1", 4), "");
}

TEST(Slices, Errors)
{
    for (const char* text : {"", "a", "0,2", "0:4:0", "1:2:3:4", "1.5", "0x1", "1:b", "99999999999999999999", "--1"})
        EXPECT_EQ(indices(text, 4), "error") << text;
}

TEST(Slices, HugeRangesAreOnlyCounted)
{
    Slice slice;
    std::string problem;
    ASSERT_TRUE(parse_slice("0:1000000000000", slice, problem));
    EXPECT_EQ(slice.range(4).count, 1000000000000U);
    EXPECT_FALSE(parse_slice("0:9000000000000000000", slice, problem));
}

TEST(Paths, Elements)
{
    std::vector<PathElement> path;
    std::string problem;
    ASSERT_TRUE(parse_path("cx5[0:2].Tesla V100-SXM3(x).port[1]", path, problem));
    ASSERT_EQ(path.size(), 3U);
    EXPECT_EQ(path[0].name, "cx5");
    EXPECT_TRUE(path[0].sliced);
    EXPECT_EQ(path[1].name, "Tesla V100-SXM3(x)");
    EXPECT_FALSE(path[1].sliced);
    EXPECT_TRUE(path[2].slice.single);
}

TEST(Paths, Errors)
{
    for (const char* text : {"", ".", "a.", ".a", "a..b", "a[", "a[0", "a[0]b", "[0]", "a[0][1]", "a[]", "a[x]"}) {
        std::vector<PathElement> path;
        std::string problem;
        EXPECT_FALSE(parse_path(text, path, problem)) << text;
        EXPECT_FALSE(problem.empty()) << text;
    }
}

}  // namespace
}  // namespace weft::endpoint_test
