#include "base/comma_list.h"

#include <gtest/gtest.h>

namespace comma_list_test {

using Items = std::vector<std::string_view>;

TEST(CommaList, EveryCommaEndsAnItem)
{
    EXPECT_EQ(weft::comma_list(""), (Items{""}));
    EXPECT_EQ(weft::comma_list("a"), (Items{"a"}));
    EXPECT_EQ(weft::comma_list("a,b c"), (Items{"a", "b c"}));
    EXPECT_EQ(weft::comma_list(",a,,"), (Items{"", "a", "", ""}));
}

}  // namespace comma_list_test
