// Tests that only `./weft test --all` runs are named in the README, and there are such tests.
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/text_file.h"

namespace long_tests_test {

namespace {

// Suites of the patterns behind LONG in a CMakeLists.txt, each by all of its names: "Of/LinkErrors" of
// "Of/LinkErrors.EveryBit*/block".
std::set<std::string> long_suites(const std::string& text)
{
    std::set<std::string> suites;
    const std::regex block(R"(LONG((\s+"[^"]*")+))");
    const std::regex pattern(R"re("([\w/]+)[^"]*")re");
    for (std::sregex_iterator found(text.begin(), text.end(), block), end; found != end; ++found) {
        const std::string patterns = (*found)[1];
        for (std::sregex_iterator each(patterns.begin(), patterns.end(), pattern); each != end; ++each) suites.insert((*each)[1]);
    }
    return suites;
}

// All sources that a CMakeLists.txt names, one after the other.
std::string sources_of(const std::filesystem::path& list)
{
    const std::string text = weft::read_text_file(list.string());
    const std::regex source(R"([\w./]+\.cpp)");
    std::string all;
    for (std::sregex_iterator found(text.begin(), text.end(), source), end; found != end; ++found) {
        const std::filesystem::path file = list.parent_path() / found->str();
        if (std::filesystem::exists(file)) all += weft::read_text_file(file.string());
    }
    return all;
}

// "Of/LinkErrors" is the suite LinkErrors in some way or other; "SwitchTheoryTest/block" the suite SwitchTheoryTest.
bool has_suite(const std::string& sources, const std::string& names)
{
    const std::regex part(R"(\w+)");
    for (std::sregex_iterator found(names.begin(), names.end(), part), end; found != end; ++found)
        if (std::regex_search(sources, std::regex(R"(TEST(_F|_P)?\(\s*)" + found->str() + R"(\b)"))) return true;
    return false;
}

}  // namespace

TEST(LongTests, AreNamedInTheReadme)
{
    const std::string root = WEFT_SOURCE_DIR;
    const std::string readme = weft::read_text_file(root + "/README.md");
    const auto is_named = [&](const std::string& suite) { return readme.find('`' + suite + '`') != std::string::npos; };
    std::size_t suites = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/testbenches")) {
        if (entry.path().filename() != "CMakeLists.txt") continue;
        for (const std::string& suite : long_suites(weft::read_text_file(entry.path().string()))) {
            ++suites;
            EXPECT_TRUE(has_suite(sources_of(entry.path()), suite)) << suite << " of " << entry.path() << ": no such test";
            const std::size_t slash = suite.find('/');
            EXPECT_TRUE(is_named(suite.substr(0, slash)) || (slash != std::string::npos && is_named(suite.substr(slash + 1))))
                << suite << " of " << entry.path();
        }
    }
    EXPECT_GT(suites, 10U);
}

TEST(LongTests, PatternsAreReadAsSuites)
{
    EXPECT_EQ(long_suites("weft_test(a SOURCES b.cpp\n  LONG \"Of/LinkErrors.EveryBit*/block\"\n    \"Probe.Dram*\")\nweft_test(c \"d\")"),
        (std::set<std::string>{"Of/LinkErrors", "Probe"}));
    EXPECT_TRUE(long_suites("weft_test(a SOURCES b.cpp)").empty());
    EXPECT_TRUE(has_suite("TEST_P(LinkErrors, EveryBit)", "Of/LinkErrors"));
    EXPECT_FALSE(has_suite("TEST(LinkErrorsOfOthers, EveryBit)", "Of/LinkErrors"));
}

}  // namespace long_tests_test
