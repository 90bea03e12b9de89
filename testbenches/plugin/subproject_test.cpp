// Weft as a subproject: the parent's flags, folders and targets stay its own.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text_file.h"
#include "testbenches/plugin/built_examples.h"
#include "testbenches/support/scratch_folder.h"

namespace subproject_test {

using namespace weft::plugin_test;

TEST(Subproject, LeavesTheParentAloneAndGivesItTargets)
{
    const weft::test::ScratchFolder folder;
    const std::string build = folder.file("build");
    const std::string log = folder.file("log.txt");
    ASSERT_EQ(command({CMAKE_PROGRAM, "-G", "Ninja", "-S", WEFT_SOURCE_DIR "/testbenches/plugin/subproject", "-B",
                          build, "-DWEFT=" WEFT_SOURCE_DIR, "-DCMAKE_BUILD_TYPE=Release"},
                  log),
        0)
        << weft::read_text_file(log);
    unsigned own = 0;
    for (const nlohmann::json& entry : nlohmann::json::parse(weft::read_text_file(build + "/compile_commands.json"))) {
        const std::string file = entry["file"];
        const std::string line = entry["command"];
        if (file.find("/subproject/") == std::string::npos) {
            EXPECT_EQ(line.find("-Werror"), std::string::npos) << file;
            continue;
        }
        ++own;
        for (const char* flag : {"-Wall", "-Werror", "-O2", "-O3"})
            EXPECT_EQ(line.find(flag), std::string::npos) << line;
        EXPECT_NE(line.find("-O1"), std::string::npos) << line;
        EXPECT_NE(line.find("-fno-math-errno"), std::string::npos) << line;
    }
    EXPECT_EQ(own, 2U);
    ASSERT_EQ(command({CMAKE_PROGRAM, "--build", build, "--target", "probe", "my_switch"}, log), 0)
        << weft::read_text_file(log);
    ASSERT_EQ(command({build + "/probe"}, log), 0);
    EXPECT_EQ(weft::read_text_file(log), "64 KiB\n");
}

}  // namespace subproject_test
