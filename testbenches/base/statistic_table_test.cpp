// What a module writes is what it declares.
#include <stdexcept>

#include <cmath>

#include <gtest/gtest.h>

#include "base/statistic_table.h"

namespace weft::statistic_table_test {
namespace {

const StatisticTable table = StatisticTable{{"lines", "lines", "sent"}, {"busy", "ps", "time of the wire"}} +
    only_when("it has a unit", {{"sums", "", "made"}});

}  // namespace

TEST(StatisticTable, NamesUnitsAndTextsComeFromTheDeclaration)
{
    std::vector<Statistic> out;
    StatisticWriter write(table, out);
    write("busy", std::uint64_t{7});
    ASSERT_EQ(out.size(), 1U);
    EXPECT_EQ(out[0].name, "busy");
    EXPECT_EQ(out[0].value, 7);
    EXPECT_EQ(out[0].unit, "ps");
    EXPECT_EQ(out[0].text, "time of the wire");
}

TEST(StatisticTable, AnUndeclaredNameASecondValueAndNoNumberAreNamed)
{
    std::vector<Statistic> out;
    StatisticWriter write(table, out);
    write("line", 1);
    write("lines", 1);
    write("lines", 2);
    write("busy", std::nan(""));
    EXPECT_EQ(statistic_problems(table, out),
        (std::vector<std::string>{"writes statistic line, which its declaration does not have",
            "writes statistic lines twice", "writes statistic busy, which is no finite number"}));
}

TEST(StatisticTable, PrefixesStandBeforeNames)
{
    const StatisticTable both =
        prefixed("in_", {{"lines", "lines", "sent"}}) + prefixed("out_", {{"lines", "lines", "sent"}});
    std::vector<Statistic> out;
    StatisticWriter in(both, out, "in_");
    StatisticWriter back(both, out, "out_");
    in("lines", 1);
    back("lines", 2);
    EXPECT_EQ(out[0].name, "in_lines");
    EXPECT_EQ(out[1].name, "out_lines");
    EXPECT_TRUE(statistic_problems(both, out).empty());
}

TEST(StatisticTable, DifferencesAreNamed)
{
    EXPECT_TRUE(statistic_problems(table, {{"lines", 1, "lines", ""}, {"busy", 1, "ps", ""}}).empty());
    EXPECT_TRUE(
        statistic_problems(table, {{"lines", 1, "lines", ""}, {"busy", 1, "ps", ""}, {"sums", 1, "", ""}}).empty());
    EXPECT_EQ(statistic_problems(table, {{"lines", 1, "B", ""}, {"idle", 1, "ps", ""}}),
        (std::vector<std::string>{"writes statistic lines in 'B', its declaration has 'lines'",
            "writes statistic idle, which its declaration does not have",
            "declares statistic busy and does not write it"}));
}

}  // namespace weft::statistic_table_test
