#include <filesystem>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/structure/source_rules.h"
#include "testbenches/support/scratch_folder.h"

namespace house_rules_test {

using namespace weft::structure;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t line_limit = 450;
constexpr std::size_t line_limit_of_tests = 500;  // a suite stays with its fixture

}  // namespace

TEST(HouseRules, NoFileIsTooLong)
{
    for (const SourceFile& source : read_sources(WEFT_SOURCE_DIR))
        for (const Finding& finding :
            check_length(source, source.path.rfind("testbenches/", 0) == 0 ? line_limit_of_tests : line_limit))
            ADD_FAILURE() << finding.text();
}

TEST(HouseRules, ALongFileIsReported)
{
    const SourceFile just{"gpu/just.cpp", std::vector<std::string>(line_limit)};
    const SourceFile over{"gpu/over.cpp", std::vector<std::string>(line_limit + 1)};
    EXPECT_TRUE(check_length(just, line_limit).empty());
    ASSERT_EQ(check_length(over, line_limit).size(), 1u);
    EXPECT_EQ(check_length(over, line_limit)[0].text(),
        "gpu/over.cpp:451: has more than 450 lines: one concept per file, please split it");
}

TEST(HouseRules, StateOfTheProcessIsListed)
{
    const std::string page = weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/architecture.md");
    std::size_t found = 0;
    for (const SourceFile& source : read_sources(WEFT_SOURCE_DIR)) {
        const bool ours = source.path.rfind("testbenches/", 0) != 0 && source.path.rfind("examples/", 0) != 0;
        const bool code = source.path.size() > 4 && source.path.compare(source.path.size() - 4, 4, ".cpp") == 0;
        if (!ours || !code) continue;
        for (const Finding& finding : find_process_state(source)) {
            ++found;
            EXPECT_NE(page.find("`" + finding.what + "`"), std::string::npos)
                << finding.text() << " is not in docs/architecture.md";
            EXPECT_NE(page.find("`" + source.path + "`"), std::string::npos) << finding.text();
        }
    }
    EXPECT_EQ(found, 8U);
}

TEST(HouseRules, StateOfTheProcessIsFoundWhereItIsPlanted)
{
    const SourceFile planted{"gpu/a.cpp",
        {"namespace weft {", "using Time = int;", "int count = 0;", "constexpr int limit = 3;",
            "std::vector<int> all{};", "void f()", "{", "    int local = 0;", "    static int calls = 0;",
            "    static const int fixed = 1;", "}", "static bool seen;"}};
    std::string names;
    for (const Finding& finding : find_process_state(planted)) names += finding.what + " ";
    EXPECT_EQ(names, "count all calls seen ");
}

TEST(HouseRules, EveryCodeFolderHasAReadme)
{
    for (const Finding& finding : check_readmes(WEFT_SOURCE_DIR, read_sources(WEFT_SOURCE_DIR)))
        ADD_FAILURE() << finding.text();
}

TEST(HouseRules, AMissingReadmeIsReported)
{
    const weft::test::ScratchFolder folder;
    const fs::path root = folder.path();
    fs::create_directories(root / "gpu");
    fs::create_directories(root / "rtl" / "blocks");
    fs::create_directories(root / "platform");
    weft::write_text_file((root / "gpu" / "gpu.h").string(), "#pragma once\n");
    weft::write_text_file((root / "gpu" / "README.md").string(), "# gpu\n");
    weft::write_text_file((root / "rtl" / "blocks" / "link.sv").string(), "module link;\nendmodule\n");
    weft::write_text_file((root / "platform" / "CMakeLists.txt").string(), "# no code yet\n");
    const std::vector<SourceFile> sources = read_sources(root.string());
    EXPECT_EQ(sources.size(), 3u);
    const std::vector<Finding> findings = check_readmes(root.string(), sources);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].text(),
        "rtl: holds code but no README.md (what lives here, what it may include, where to start)");
}

TEST(HouseRules, NoSourceHoldsLeftOverNotes)
{
    for (const SourceFile& source : read_sources(WEFT_SOURCE_DIR))
        for (const Finding& finding : check_words(source)) ADD_FAILURE() << finding.text();
}

TEST(HouseRules, ALeftOverNoteIsReported)
{
    const std::string note = std::string("FIX") + "ME";
    const std::vector<Finding> findings =
        check_words({"gpu/gpu.cpp", {"int a;", "// " + note + ": later", "int " + note + "_count;"}});
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].text(), "gpu/gpu.cpp:2: left-over note: " + note);
}

}  // namespace house_rules_test
