// Patterns over paths, and names in brackets.
#include <gtest/gtest.h>

#include "platform/configuration/parameters/glob.h"
#include "platform/configuration/parameters/grouping.h"
#include "platform/configuration/parameters/phrase.h"

namespace weft::glob_test {
namespace {

TEST(Glob, StarCrossesDotsAndQuestionMarkIsOneCharacter)
{
    EXPECT_TRUE(glob_matches("dgx.*.l2.size", "dgx.0.xpu.3.l2.size"));
    EXPECT_TRUE(glob_matches("*", ""));
    EXPECT_TRUE(glob_matches("a?c*", "abc"));
    EXPECT_FALSE(glob_matches("a?c", "ac"));
    EXPECT_FALSE(glob_matches("dgx.*.l2", "dgx.0.xpu.3.l2.size"));
    EXPECT_TRUE(glob_matches("x[1].*", "x[1].0"));
}

TEST(Glob, ListsOfNumbersAreTheseNumbers)
{
    for (const char* name : {"x.0.l2", "x.2.l2", "x.3.l2", "x.12.l2"})
        EXPECT_TRUE(glob_matches("x.[0,2-3,12].l2", name)) << name;
    for (const char* name : {"x.1.l2", "x.4.l2", "x.20.l2", "x.02.l2", "x..l2", "x.-2.l2"})
        EXPECT_FALSE(glob_matches("x.[0,2-3,12].l2", name)) << name;
    EXPECT_TRUE(glob_matches("*.[0-1].x.[2]~*", "d.1.x.2~s.0"));
    EXPECT_FALSE(glob_matches("*[1]", "x.11"));  // no part of a number
    EXPECT_TRUE(glob_matches("*[11]", "x.11"));
    for (const char* name : {"x.[3-1]", "x.[]", "x.[1", "x.[a]", "x.[1,]", "x.[-1]"}) {
        EXPECT_FALSE(has_glob(name)) << name;
        EXPECT_TRUE(glob_matches(name, name)) << name;
        EXPECT_FALSE(glob_matches(name, "x.1")) << name;
    }
    EXPECT_TRUE(has_glob("x.[0-1].l2"));
    EXPECT_TRUE(glob_matches("x.[0-1].l2", "x.[0-1].l2"));  // a name of a table
}

TEST(Glob, NumbersThatNoNameHasAreKnown)
{
    NumberedGlob glob("d.[0,1].*.x.[0-2,8]");
    EXPECT_TRUE(glob.matches("d.0.b.x.0"));
    EXPECT_FALSE(glob.matches("d.1.b.x.4"));
    EXPECT_EQ(glob.missing(), "d.1.*.x.[0-2,8]");
    EXPECT_TRUE(glob.matches("d.1.x.0.x.8"));
    EXPECT_EQ(glob.missing(), "d.[0,1].*.x.1");
    EXPECT_TRUE(glob.matches("d.1.b.x.1"));
    EXPECT_TRUE(glob.matches("d.1.b.x.2"));
    EXPECT_EQ(glob.missing(), "");
    EXPECT_EQ(NumberedGlob("x.*").missing(), "");
}

TEST(Glob, CommasInListsOfNumbersDivideNothing)
{
    EXPECT_EQ(split_globs("host.[0,2-3],leaf.0,"), (std::vector<std::string>{"host.[0,2-3]", "leaf.0", ""}));
    EXPECT_EQ(split_globs("[a,b]"), (std::vector<std::string>{"[a", "b]"}));
}

TEST(Glob, ManyStarsTakeNoExponentialTime)
{
    std::string pattern;
    for (int i = 0; i < 40; ++i) pattern += "a*";
    EXPECT_FALSE(glob_matches(pattern + "b", std::string(5000, 'a')));
}

TEST(Phrase, WordsEndBetweenLettersAndDigits)
{
    EXPECT_EQ(words_of("PCI Express PCIE_GEN5 x16"),
        (std::vector<std::string>{"pci", "express", "pcie", "gen", "5", "x", "16"}));
    EXPECT_EQ(find_phrase(words_of("NVLink 4.0 100GT/s"), words_of("nvlink_4")), 0);
    EXPECT_EQ(find_phrase(words_of("HGX H200"), words_of("H20")), -1);
    EXPECT_EQ(find_phrase({}, {}), -1);
}

std::string first_group(const std::vector<std::string>& names)
{
    const auto groups = group_names(names);
    return groups.size() == 1 ? groups[0].text : std::to_string(groups.size()) + " groups";
}

TEST(Grouping, ProductsBecomeOneText)
{
    EXPECT_EQ(first_group({"d.0.xpu.0", "d.0.xpu.1", "d.0.xpu.2"}), "d.0.xpu.[0-2]");
    EXPECT_EQ(first_group({"d.0.x.0", "d.0.x.2", "d.1.x.0", "d.1.x.2"}), "d.[0,1].x.[0,2]");
    EXPECT_EQ(first_group({"d.0.s.0~d.0.x.0", "d.0.s.0~d.0.x.1"}), "d.0.s.0~d.0.x.[0,1]");
    EXPECT_EQ(first_group({"only"}), "only");
}

TEST(Grouping, WhatIsNoProductIsNotMadeOne)
{
    const auto groups = group_names({"d.0.x.0", "d.0.x.1", "d.1.x.1"});
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].text, "d.0.x.[0,1]");
    EXPECT_EQ(groups[0].count, 2U);
    EXPECT_EQ(groups[1].text, "d.1.x.1");
}

TEST(Grouping, TooManyGroupsBecomeOneHullWithItsCount)
{
    std::vector<std::string> names;
    for (int i = 0; i < 100; ++i) names.push_back("h." + std::to_string(i) + "~s." + std::to_string(i * 7 % 100));
    const auto groups = group_names(names);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_EQ(groups[0].text, "h.[0-99]~s.[0-99]");
    EXPECT_EQ(groups[0].count, 100U);
}

}  // namespace
}  // namespace weft::glob_test
