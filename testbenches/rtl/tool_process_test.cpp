// What is started to build a block ends with who started it.
#include <csignal>
#include <fstream>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "rtl/verilated/tool_process.h"
#include "testbenches/support/scratch_folder.h"

namespace weft::tool_process_test {
namespace {

// Gone, or a corpse that nobody has buried.
bool ended(long process)
{
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    if (!std::getline(in, text)) return true;
    const std::size_t name_end = text.rfind(") ");
    return name_end == std::string::npos || text[name_end + 2] == 'Z';
}

bool soon(const std::function<bool()>& what)
{
    for (int i = 0; i < 3000; ++i) {
        if (what()) return true;
        ::usleep(10'000);
    }
    return false;
}

// The number that a command has written into `file`.
long number_in(const std::string& file)
{
    std::ifstream in(file);
    long out = 0;
    in >> out;
    return in ? out : 0;
}

TEST(ToolProcess, SaysHowItEnded)
{
    const test::ScratchFolder folder;
    EXPECT_EQ(run_tool("echo out; echo err >&2; exit 7", folder.file("log")), 7);
    EXPECT_EQ(read_text_file(folder.file("log")), "out\nerr\n");
    EXPECT_EQ(run_tool("true", folder.file("log")), 0);
    EXPECT_EQ(run_tool("kill -9 $$", folder.file("log")), 128 + 9);
    EXPECT_EQ(tool_output("echo first; echo second"), "first");
    EXPECT_EQ(tool_output("echo first; exit 3"), "");
    // Standard input is empty: nothing waits for a terminal.
    EXPECT_EQ(tool_output("cat; echo end"), "end");
}

// A child and a grandchild of the tool, whatever kills the one who runs it; as with a compiler behind its driver.
TEST(ToolProcess, NothingIsLeftBehind)
{
    for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
        const test::ScratchFolder folder;
        const std::string command =
            "sh -c 'echo $$ > " + folder.file("inner") + "; sleep 600' & echo $$ > " + folder.file("outer") + "; wait";
        const pid_t runner = ::fork();
        if (runner == 0) {
            // As a simulation does.
            ::signal(SIGTERM, [](int) {});
            ::signal(SIGINT, [](int) {});
            ::_exit(run_tool(command, folder.file("log")));
        }
        ASSERT_TRUE(soon([&] { return number_in(folder.file("inner")) > 0 && number_in(folder.file("outer")) > 0; }));
        const long inner = number_in(folder.file("inner"));
        const long outer = number_in(folder.file("outer"));
        EXPECT_FALSE(ended(inner) || ended(outer));
        ::kill(runner, signal);
        int status = 0;
        ASSERT_EQ(::waitpid(runner, &status, 0), runner);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
        EXPECT_TRUE(soon([&] { return ended(inner) && ended(outer); })) << signal;
    }
}

}  // namespace
}  // namespace weft::tool_process_test
