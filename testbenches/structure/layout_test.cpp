// Every source is laid out as .clang-format says: one of four by default, all with `./weft test --all`. Skipped where clang-format 14
// is not installed.
#include <string>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/support/scratch_folder.h"
#include "testbenches/support/thorough.h"
#include "testbenches/support/tool_output.h"

namespace layout_test {

namespace {

weft::test::ToolOutput check_layout(const std::string& arguments)
{
    return weft::test::tool_output("tools/layout --check " + arguments);
}

}  // namespace

TEST(Layout, IsThatOfClangFormat)
{
    const weft::test::ToolOutput tree = check_layout(weft::test::thorough() ? "" : "--quick");
    if (tree.missing()) GTEST_SKIP() << tree.text;
    EXPECT_EQ(tree.code, 0) << tree.text;
    EXPECT_EQ(tree.text, "");
}

TEST(Layout, ADifferentOneIsReportedAndLeftAsItIs)
{
    const weft::test::ScratchFolder folder;
    const std::string file = folder.path() + "/a.cpp";
    const std::string text = "int f(int a)\n{\n  ++a;\n    return a;\n}\n";
    weft::write_text_file(file, text);
    const weft::test::ToolOutput checked = check_layout(file);
    if (checked.missing()) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 1);
    EXPECT_EQ(checked.text, file + ":2:2: differs from .clang-format; tools/layout writes it\n");
    EXPECT_EQ(weft::read_text_file(file), text);
}

TEST(Layout, AFileThatIsNotThereIsNamed)
{
    const weft::test::ToolOutput checked = check_layout("/nowhere/a.cpp");
    if (checked.missing()) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 2);
    EXPECT_EQ(checked.text, "tools/layout: /nowhere/a.cpp: no such file; expected a C++ source\n");
}

TEST(Layout, OtherFilesAreLeftAlone)
{
    const std::string file = std::string(WEFT_SOURCE_DIR) + "/README.md";
    const weft::test::ToolOutput checked = check_layout(file);
    if (checked.missing()) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 2);
    EXPECT_EQ(checked.text, "tools/layout: " + file + ": not a C++ source; expected .cpp or .h\n");
}

}  // namespace layout_test
