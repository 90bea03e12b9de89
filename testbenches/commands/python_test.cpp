// docs/python.md: the commands of the page are run, then every box of Python, and what it prints stands below it.
// WEFT_UPDATE_DOCS=1 writes the outputs into the page.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/process/process.h"
#include "testbenches/support/scratch_folder.h"

namespace python_test {

namespace {

struct Ran {
    int status = -1;
    std::string out;
};

Ran shell(const std::string& command)
{
    Ran ran;
    std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return ran;
    std::array<char, 4096> part{};
    for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) ran.out.append(part.data(), n);
    ran.status = ::pclose(pipe);
    return ran;
}

struct Box {
    std::size_t end = 0;  // behind its closing line
    std::string text;
};

// The box ```LANGUAGE that begins at or behind `from`; an end of 0: there is none.
Box box_from(const std::string& page, const std::string& language, std::size_t from)
{
    const std::string open = "```" + language + "\n";
    const std::size_t begin = page.find(open, from);
    if (begin == std::string::npos) return {};
    const std::size_t close = page.find("\n```\n", begin) + 1;
    return {close + 4, page.substr(begin + open.size(), close - begin - open.size())};
}

}  // namespace

TEST(Python, EveryBoxOfThePagePrintsWhatItSays)
{
    if (shell("python3 -c 'print(1)'").out != "1\n") GTEST_SKIP() << "python3 is not there";
    const bool pandas = shell("python3 -c 'import pandas'").status == 0;
    const std::string file = std::string(WEFT_SOURCE_DIR) + "/docs/python.md";
    const std::string page = weft::read_text_file(file);
    const weft::test::ScratchFolder folder;
    const std::filesystem::path root = folder.path();
    std::filesystem::create_symlink(WEFT_PROGRAM, root / "weft");
    std::filesystem::create_directory_symlink(std::string(WEFT_SOURCE_DIR) + "/examples", root / "examples");
    const Box commands = box_from(page, "sh", 0);
    ASSERT_GT(commands.end, 0u);
    const Ran made = shell("cd '" + root.string() + "' && set -e\n" + commands.text);
    ASSERT_EQ(made.status, 0) << made.out;

    std::string updated = page.substr(0, commands.end);
    std::size_t boxes = 0;
    for (std::size_t at = commands.end; at < page.size();) {
        const Box box = box_from(page, "python", at);
        if (box.end == 0) {
            updated += page.substr(at);
            break;
        }
        ++boxes;
        updated += page.substr(at, box.end - at);
        const std::string output_begins = "\n```text\n";
        const bool has_output = page.compare(box.end, output_begins.size(), output_begins) == 0;
        const Box output = has_output ? box_from(page, "text", box.end) : Box{box.end, ""};
        at = output.end;
        const bool needs_pandas = box.text.find("import pandas") != std::string::npos;
        if (needs_pandas && !pandas) {
            std::printf("notice: pandas is not there; its box is not run\n");
            updated += page.substr(box.end, output.end - box.end);
            continue;
        }
        weft::write_text_file((root / "box.py").string(), box.text);
        const Ran ran = shell("cd '" + root.string() + "' && python3 box.py");
        EXPECT_EQ(ran.status, 0) << box.text << ran.out;
        if (!needs_pandas) {
            EXPECT_EQ(ran.out, output.text) << box.text;
            EXPECT_NE(ran.out, "") << box.text;
            updated += output_begins + ran.out + "```\n";
        }
    }
    EXPECT_GE(boxes, 11u);
    if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) weft::write_text_file(file, updated);
}

}  // namespace python_test
