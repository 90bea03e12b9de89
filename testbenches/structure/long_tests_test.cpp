// Tests that only `./weft test --all` runs are named in the README.
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
}

}  // namespace long_tests_test
