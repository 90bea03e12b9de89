// Tests that only `./weft test --all` runs are named in docs/contributing.md, and there are such tests.
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/text_file.h"

namespace long_tests_test {

namespace {

// The patterns behind LONG in a CMakeLists.txt.
std::set<std::string> long_patterns(const std::string& text)
{
    std::set<std::string> patterns;
    const std::regex block(R"(LONG((\s+"[^"]*")+))");
    const std::regex pattern(R"re("([^"]*)")re");
    for (std::sregex_iterator found(text.begin(), text.end(), block), end; found != end; ++found) {
        const std::string all = (*found)[1];
        for (std::sregex_iterator each(all.begin(), all.end(), pattern); each != end; ++each)
            patterns.insert((*each)[1]);
    }
    return patterns;
}

// Suites of the patterns behind LONG in a CMakeLists.txt, each by all of its names: "Of/LinkErrors" of
// "Of/LinkErrors.EveryBit*/block".
std::set<std::string> long_suites(const std::string& text)
{
    std::set<std::string> suites;
    const std::regex block(R"(LONG((\s+"[^"]*")+))");
    const std::regex pattern(R"re("([\w/]+)[^"]*")re");
    for (std::sregex_iterator found(text.begin(), text.end(), block), end; found != end; ++found) {
        const std::string patterns = (*found)[1];
        for (std::sregex_iterator each(patterns.begin(), patterns.end(), pattern); each != end; ++each)
            suites.insert((*each)[1]);
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

// Whether a test matches. "Of/LinkErrors.EveryBit*/block" is TEST_P(LinkErrors, EveryBit...), "SwitchTheoryTest/block.Credits*"
// is TYPED_TEST(SwitchTheoryTest, Credits...): the names of instances are in no macro of a test.
bool has_test(const std::string& sources, const std::string& pattern)
{
    const std::size_t dot = pattern.find('.');
    const std::string suites = pattern.substr(0, dot);
    std::string name = dot == std::string::npos ? "*" : pattern.substr(dot + 1);
    name = std::regex_replace(name.substr(0, name.find('/')), std::regex(R"(\*)"), R"(\w*)");
    const std::regex part(R"(\w+)");
    for (std::sregex_iterator found(suites.begin(), suites.end(), part), end; found != end; ++found)
        if (std::regex_search(sources,
                std::regex(R"(TEST(_F|_P)?\(\s*)" + found->str() + R"(,\s*)" + name + R"(\s*\))")))
            return true;
    return false;
}

}  // namespace

TEST(LongTests, AreNamedInContributing)
{
    const std::string root = WEFT_SOURCE_DIR;
    const std::string page = weft::read_text_file(root + "/docs/contributing.md");
    const auto is_named = [&](const std::string& suite) { return page.find('`' + suite + '`') != std::string::npos; };
    std::size_t suites = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/testbenches")) {
        if (entry.path().filename() != "CMakeLists.txt") continue;
        const std::string list = weft::read_text_file(entry.path().string());
        const std::string sources = sources_of(entry.path());
        for (const std::string& pattern : long_patterns(list))
            EXPECT_TRUE(has_test(sources, pattern)) << pattern << " of " << entry.path() << ": no such test";
        for (const std::string& suite : long_suites(list)) {
            ++suites;
            const std::size_t slash = suite.find('/');
            EXPECT_TRUE(
                is_named(suite.substr(0, slash)) || (slash != std::string::npos && is_named(suite.substr(slash + 1))))
                << suite << " of " << entry.path();
        }
    }
    EXPECT_GT(suites, 10U);
}

TEST(LongTests, PatternsAreReadAsSuites)
{
    EXPECT_EQ(long_suites("weft_test(a SOURCES b.cpp\n  LONG \"Of/LinkErrors.EveryBit*/block\"\n    "
                          "\"Probe.Dram*\")\nweft_test(c \"d\")"),
        (std::set<std::string>{"Of/LinkErrors", "Probe"}));
    EXPECT_TRUE(long_suites("weft_test(a SOURCES b.cpp)").empty());
    EXPECT_TRUE(has_test("TEST_P(LinkErrors, EveryBit)", "Of/LinkErrors.Every*/block"));
    EXPECT_TRUE(has_test("TYPED_TEST(Theory, Credits)", "Theory/block.Credits"));
    EXPECT_FALSE(has_test("TEST_P(LinkErrors, EveryBit)", "Of/LinkErrors.Ever/block"));
    EXPECT_FALSE(has_test("TEST(LinkErrorsOfOthers, EveryBit)", "Of/LinkErrors.EveryBit"));
}

}  // namespace long_tests_test
