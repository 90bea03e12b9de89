// Every source is laid out as .clang-format says; skipped where clang-format 14 is not installed.
#include <cstdio>
#include <string>

#include <sys/wait.h>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/support/scratch_folder.h"

namespace layout_test {

namespace {

struct Checked {
    int code;
    std::string text;
};

Checked check_layout(const std::string& arguments)
{
    const std::string command = std::string(WEFT_SOURCE_DIR) + "/tools/layout --check " + arguments + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return {-1, "cannot start " + command};
    Checked checked{0, ""};
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) checked.text += static_cast<char>(c);
    const int status = pclose(pipe);
    checked.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return checked;
}

constexpr int no_tool = 77;

}  // namespace

TEST(Layout, IsThatOfClangFormat)
{
    const Checked tree = check_layout("");
    if (tree.code == no_tool) GTEST_SKIP() << tree.text;
    EXPECT_EQ(tree.code, 0) << tree.text;
    EXPECT_EQ(tree.text, "");
}

TEST(Layout, ADifferentOneIsReportedAndLeftAsItIs)
{
    const weft::test::ScratchFolder folder;
    const std::string file = folder.path() + "/a.cpp";
    const std::string text = "int f(int a)\n{\n  ++a;\n    return a;\n}\n";
    weft::write_text_file(file, text);
    const Checked checked = check_layout(file);
    if (checked.code == no_tool) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 1);
    EXPECT_EQ(checked.text, file + ":2:2: differs from .clang-format; tools/layout writes it\n");
    EXPECT_EQ(weft::read_text_file(file), text);
}

TEST(Layout, AFileThatIsNotThereIsNamed)
{
    const Checked checked = check_layout("/nowhere/a.cpp");
    if (checked.code == no_tool) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 2);
    EXPECT_EQ(checked.text, "tools/layout: /nowhere/a.cpp: no such file; expected a C++ source\n");
}

}  // namespace layout_test
