#include "testbenches/process/walk.h"

#include <algorithm>
#include <sstream>

#include "base/text_file.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace weft::commands_test {

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

}  // namespace

Walked walk(const std::string& page, const std::set<std::string>& outputs,
    const std::map<std::string, std::string>& places, const std::vector<std::string>& left_out)
{
    const Fixtures files;
    Walked walked;
    std::set<std::string> own;
    std::string printed;
    bool is_left_out = false;
    for (const Block& block : blocks_of(page)) {
        if (block.language == "yaml") {
            const std::string name = block.text.substr(2, block.text.find('\n') - 2);
            files.write(name, block.text);
            own.insert(name);
            ++walked.files;
        } else if (block.language == "sh") {
            is_left_out = std::any_of(left_out.begin(), left_out.end(),
                [&block](const std::string& part) { return block.text.find(part) != std::string::npos; });
            if (is_left_out) continue;
            std::istringstream words(block.text);
            std::vector<std::string> arguments;
            std::string word;
            words >> word;
            if (word != "./weft") walked.problems.push_back("no command: " + block.text);
            while (words >> word) {
                if (word.size() > 2 && word.front() == '\'' && word.back() == '\'')
                    word = word.substr(1, word.size() - 2);
                if (const auto place = places.find(word); place != places.end()) {
                    arguments.push_back(place->second);
                    continue;
                }
                bool local = own.count(word) != 0;
                for (const std::string& output : outputs) local = local || word.rfind(output, 0) == 0;
                arguments.push_back(local ? files.path(word) : word);
            }
            const Outcome outcome = call(arguments);
            if (outcome.code != 0) walked.problems.push_back(block.text + outcome.err);
            printed = outcome.out;
            ++walked.commands;
        } else if (block.language == "text" && !is_left_out) {
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

std::string page_of(const std::string& name)
{
    return read_text_file(std::string(WEFT_SOURCE_DIR) + "/docs/" + name + ".md");
}

}  // namespace weft::commands_test
