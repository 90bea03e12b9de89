// The checks of .clang-tidy find nothing: the cheaper ones in one in twelve of the libraries, all of them in the whole tree with the long
// tests.
// Skipped where clang-tidy 14 is not installed.
#include <string>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/support/scratch_folder.h"
#include "testbenches/support/tool_output.h"

namespace tidy_test {

namespace {

weft::test::ToolOutput check(const std::string& arguments)
{
    return weft::test::tool_output("tools/tidy " + arguments + " " WEFT_BINARY_DIR);
}

void expect_nothing(const std::string& arguments)
{
    const weft::test::ToolOutput tree = check(arguments);
    if (tree.missing()) GTEST_SKIP() << tree.text;
    EXPECT_EQ(tree.code, 0) << tree.text;
    EXPECT_EQ(tree.text, "");
}

}  // namespace

TEST(Tidy, FindsNothingInTheLibraries) { expect_nothing("--libraries --quick"); }

TEST(Tidy, AMistakeIsFound)
{
    const weft::test::ScratchFolder folder;
    const std::string file = folder.path() + "/a.cpp";
    weft::write_text_file(file,
        "#include <string>\n#include <utility>\n\nstd::size_t twice(std::string text)\n{\n"
        "    const std::string taken = std::move(text);\n    return taken.size() + text.size();\n}\n");
    const weft::test::ToolOutput checked = check(file);
    if (checked.missing()) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 1);
    EXPECT_EQ(checked.text,
        file + ":7:27: error: 'text' used after it was moved [bugprone-use-after-move,-warnings-as-errors]\n");
}

// By all checks, and in the tests and examples, too.
TEST(TidyLong, FindsNothingInTheTree) { expect_nothing(""); }

}  // namespace tidy_test
