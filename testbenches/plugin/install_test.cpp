// What `cmake --install` leaves: a program that runs from there, manual pages, completion, documents, examples.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/plugin/built_examples.h"
#include "testbenches/support/scratch_folder.h"

namespace install_test {

using namespace weft::plugin_test;
namespace fs = std::filesystem;

namespace {

// Exit code and what it printed.
std::pair<int, std::string> run(const std::string& line, const std::string& log)
{
    const int code = command({"bash", "-c", line}, log);
    return {code, weft::read_text_file(log)};
}

}  // namespace

TEST(Install, IntoAFolderRunsTheDemoFromThere)
{
    const weft::test::ScratchFolder folder;
    const fs::path root = fs::path(folder.path()) / "usr";
    const std::string log = folder.file("log.txt");
    const auto [code, said] =
        run("DESTDIR='" + folder.path() + "' " CMAKE_PROGRAM " --install " WEFT_BINARY_DIR " --prefix /usr", log);
    ASSERT_EQ(code, 0) << said;
    for (const char* file : {"bin/weft", "share/doc/weft/LICENSE", "share/doc/weft/README.md",
             "share/doc/weft/docs/commands.md", "share/doc/weft/docs/result.schema.json",
             "share/weft/examples/dgx_h100/system.yaml", "share/man/man1/weft.1", "share/man/man1/weft-run.1",
             "share/man/man1/weft-compare.1", "share/bash-completion/completions/weft"})
        EXPECT_TRUE(fs::exists(root / file)) << file;

    const std::string program = (root / "bin/weft").string();
    const auto [demo_code, demo] = run("cd / && '" + program + "' demo", log);
    EXPECT_EQ(demo_code, 0) << demo;
    EXPECT_NE(demo.find("passed: results in memory are right"), std::string::npos) << demo;
    const auto [check_code, check] = run(
        "cd '" + (root / "share/weft").string() + "' && '" + program + "' check examples/dgx_h100/system.yaml", log);
    EXPECT_EQ(check_code, 0) << check;

    // The manual is the help.
    const std::string page = weft::read_text_file((root / "share/man/man1/weft-run.1").string());
    EXPECT_EQ(page.compare(0, 15, ".TH weft-run 1 "), 0);
    EXPECT_NE(page.find("\n  \\-\\-until TIME"), std::string::npos);
    const auto [man_code, man] = run("command -v man > /dev/null || exit 0; MANWIDTH=120 man -l '" +
            (root / "share/man/man1/weft-run.1").string() + "' | grep -c -- '--until TIME'",
        log);
    EXPECT_EQ(man_code, 0) << man;

    const std::string completion = "source '" + (root / "share/bash-completion/completions/weft").string() + "'; ";
    EXPECT_EQ(run(completion + "COMP_WORDS=(weft co); COMP_CWORD=1; _weft; echo ${COMPREPLY[@]}", log).second,
        "compare\n");
    EXPECT_EQ(run(completion + "COMP_WORDS=(weft run --crit); COMP_CWORD=2; _weft; echo ${COMPREPLY[@]}", log).second,
        "--critical-path\n");
    EXPECT_EQ(run(completion + "COMP_WORDS=(weft sweep --crit); COMP_CWORD=2; _weft; echo ${COMPREPLY[@]}", log).second,
        "\n");
}

}  // namespace install_test
