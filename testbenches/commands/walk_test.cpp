// The walks of docs/: their files are written, their commands run, and what the page shows is what is printed.
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/text_file.h"
#include "testbenches/commands/fixtures.h"
#include "testbenches/commands/process.h"

namespace walk_test {

using namespace weft::commands_test;

namespace {

struct Block {
    std::string language;
    std::string text;
};

std::vector<Block> blocks_of(const std::string& page)
{
    std::vector<Block> blocks;
    std::istringstream in(page);
    bool open = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("```", 0) == 0) {
            if (!open) blocks.push_back({line.substr(3), ""});
            open = !open;
        } else if (open) {
            blocks.back().text += line + "\n";
        }
    }
    return blocks;
}

struct Walked {
    std::size_t files = 0;
    std::size_t commands = 0;
    std::size_t lines = 0;
    std::vector<std::string> problems;
    std::map<std::string, std::string> written;  // by name: what the commands wrote
};

// `outputs`: beginnings of names of files that the commands write.
Walked walk(const std::string& page, const std::set<std::string>& outputs)
{
    const Fixtures files;
    Walked walked;
    std::set<std::string> own;
    std::string printed;
    for (const Block& block : blocks_of(page)) {
        if (block.language == "yaml") {
            const std::string name = block.text.substr(2, block.text.find('\n') - 2);
            files.write(name, block.text);
            own.insert(name);
            ++walked.files;
        } else if (block.language == "sh") {
            std::istringstream words(block.text);
            std::vector<std::string> arguments;
            std::string word;
            words >> word;
            if (word != "./weft") walked.problems.push_back("no command: " + block.text);
            while (words >> word) {
                bool local = own.count(word) != 0;
                for (const std::string& output : outputs) local = local || word.rfind(output, 0) == 0;
                arguments.push_back(local ? files.path(word) : word);
            }
            const Outcome outcome = call(arguments);
            if (outcome.code != 0) walked.problems.push_back(block.text + outcome.err);
            printed = outcome.out;
            ++walked.commands;
        } else {
            std::istringstream shown(block.text);
            for (std::string line; std::getline(shown, line);) {
                if (line == "...") continue;
                ++walked.lines;
                if (("\n" + printed).find("\n" + line + "\n") == std::string::npos) walked.problems.push_back(line);
            }
        }
    }
    for (const std::string& name : files.names()) walked.written.emplace(name, files.read(name));
    return walked;
}

std::string page(const std::string& name)
{
    return weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/" + name + ".md");
}

}  // namespace

TEST(Walk, OfATrainingStepPrintsWhatItsPageShows)
{
    const Walked walked = walk(page("walk_step"), {"step"});
    EXPECT_EQ(walked.problems, std::vector<std::string>{});
    EXPECT_EQ(walked.commands, 7u);
    EXPECT_GT(walked.lines, 40u);
}

TEST(Walk, OfAnArchitectPrintsWhatItsPageShows)
{
    const Walked walked = walk(page("walk_architect"), {"machine.svg", "report.html"});
    EXPECT_EQ(walked.problems, std::vector<std::string>{});
    EXPECT_EQ(walked.files, 3u);
    EXPECT_EQ(walked.written.at("machine.svg"),
        weft::read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/pictures/rack64.svg"));
    EXPECT_NE(walked.written.at("report.html").find("rack64"), std::string::npos);
    EXPECT_EQ(walked.commands, 9u);
    EXPECT_GT(walked.lines, 30u);
}

TEST(Walk, ALineThatIsNotPrintedIsFound)
{
    const std::string text = "```yaml\n# own.yaml\nsystem: own\ninfrastructure: examples/dgx_h100/dgx_h100.yaml\n```\n"
                             "```sh\n./weft check examples/dgx_h100/dgx_h100.yaml\n```\n"
                             "```text\nname         dgx_h100\n...\nname         another\n```\n"
                             "```sh\n./weft check none.yaml\n```\n";
    const Walked walked = walk(text, {});
    ASSERT_EQ(walked.problems.size(), 2u);
    EXPECT_EQ(walked.problems[0], "name         another");
    EXPECT_NE(walked.problems[1].find("none.yaml"), std::string::npos);
}

}  // namespace walk_test
