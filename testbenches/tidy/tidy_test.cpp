// The checks of .clang-tidy find nothing in the tree; skipped where clang-tidy 14 is not installed.
#include <cstdio>
#include <string>

#include <sys/wait.h>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/support/scratch_folder.h"

namespace tidy_test {

namespace {

struct Checked {
    int code;
    std::string text;
};

Checked check(const std::string& arguments)
{
    const std::string command = WEFT_SOURCE_DIR "/tools/tidy " + arguments + " " WEFT_BINARY_DIR " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return {-1, "cannot start " + command};
    Checked checked{0, ""};
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) checked.text += static_cast<char>(c);
    const int status = pclose(pipe);
    checked.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return checked;
}

void expect_nothing(const std::string& arguments)
{
    constexpr int no_tool = 77;
    const Checked tree = check(arguments);
    if (tree.code == no_tool) GTEST_SKIP() << tree.text;
    EXPECT_EQ(tree.code, 0) << tree.text;
    EXPECT_EQ(tree.text, "");
}

}  // namespace

TEST(Tidy, FindsNothingInTheLibraries) { expect_nothing("--libraries"); }

TEST(Tidy, AMistakeIsFound)
{
    const weft::test::ScratchFolder folder;
    const std::string file = folder.path() + "/a.cpp";
    weft::write_text_file(file,
        "#include <string>\n#include <utility>\n\nstd::size_t twice(std::string text)\n{\n"
        "    const std::string taken = std::move(text);\n    return taken.size() + text.size();\n}\n");
    const Checked checked = check(file);
    if (checked.code == 77) GTEST_SKIP() << checked.text;
    EXPECT_EQ(checked.code, 1);
    EXPECT_EQ(checked.text,
        file + ":7:27: error: 'text' used after it was moved [bugprone-use-after-move,-warnings-as-errors]\n");
}

// The tests and examples, too.
TEST(TidyLong, FindsNothingInTheTree) { expect_nothing(""); }

}  // namespace tidy_test
