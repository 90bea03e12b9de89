// Help says what there is, and the manual says the same.
#include <algorithm>
#include <fstream>
#include <regex>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/commands/command.h"
#include "testbenches/process/process.h"

namespace help_test {

using namespace weft::commands_test;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t widest_line(const std::string& text)
{
    std::size_t widest = 0;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        widest = std::max(widest, end - start);
        start = end + 1;
    }
    return widest;
}

}  // namespace

TEST(Help, ListsEveryCommand)
{
    const Outcome help = call({"help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    for (const weft::Command& command : weft::commands()) {
        EXPECT_TRUE(contains(help.out, std::string("\n  ") + command.name + " ")) << command.name;
        EXPECT_TRUE(contains(help.out, command.summary)) << command.name;
    }
    for (const std::string code : {"0 ", "1 ", "2 ", "3 ", "130 "}) EXPECT_TRUE(contains(help.out, "\n  " + code));
    for (const std::string other : {"--help", "-h"}) EXPECT_EQ(call({other}).out, help.out);
    EXPECT_EQ(call({}).out, help.out);
}

TEST(Help, OfACommandIsThatOfItsOption)
{
    for (const weft::Command& command : weft::commands()) {
        const Outcome page = call({"help", command.name});
        EXPECT_EQ(page.code, 0);
        EXPECT_EQ(
            page.out.compare(0, 12 + std::string(command.name).size(), std::string("usage: weft ") + command.name), 0);
        EXPECT_EQ(call({command.name, "--help"}).out, page.out);
        EXPECT_EQ(call({command.name, "-h"}).out, page.out);
        EXPECT_LE(widest_line(page.out), 100u) << command.name;
    }
    EXPECT_EQ(call({"help", "nothing"}).code, 2);
}

TEST(Help, OfRunNamesEveryOption)
{
    const std::string page = call({"run", "--help"}).out;
    for (const std::string option : {"--infra FILE", "--collective OP", "--bytes N", "--algorithm A", "--trace PREFIX",
             "--groups FILE", "--set PATH=VALUE", "--model GLOB=NAME", "--profile NAME", "--ranks N", "--element TYPE",
             "--reduction OP", "--root RANK", "--seed N", "--json FILE", "--no-data", "--until TIME", "--quiet",
             "--lenient", "--dependencies POLICY", "--no-timing"})
        EXPECT_TRUE(contains(page, "\n  " + option + " ")) << option;
}

TEST(Help, TheManualSaysTheSame)
{
    const std::string manual = weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/commands.md");
    EXPECT_TRUE(contains(manual, "```text\n" + call({"help"}).out + "```")) << "docs/commands.md lacks `weft help`";
    for (const weft::Command& command : weft::commands()) {
        const std::string page = call({command.name, "--help"}).out;
        EXPECT_TRUE(contains(manual, "```text\n" + page + "```"))
            << "docs/commands.md lacks `weft " << command.name << " --help`:\n"
            << page;
    }
}

TEST(Help, VersionIsOneLine)
{
    const Outcome version = call({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_EQ(version.out.compare(0, 5, "weft "), 0);
    EXPECT_EQ(std::count(version.out.begin(), version.out.end(), '\n'), 1);
    EXPECT_TRUE(std::regex_match(version.out, std::regex(R"(weft \d+\.\d+\.\d+( \(commit [0-9a-f]{12,}\))?\n)")))
        << version.out;
}

}  // namespace help_test
