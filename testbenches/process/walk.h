// The walks of docs/: pages whose files are written, whose commands run, and whose outputs are compared.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace weft::commands_test {

struct Walked {
    std::size_t files = 0;
    std::size_t commands = 0;
    std::size_t lines = 0;
    std::vector<std::string> problems;
    std::map<std::string, std::string> written;  // by name: files of the page and what the commands wrote
};

// The text of docs/NAME.md: blocks `yaml` are files, named by a comment in their first line; blocks `sh` commands of weft;
// blocks `text` lines that the command before prints, with `...` for others. Blocks `bash` are for readers. `outputs`:
// beginnings of names of files that commands write; `places`: words that stand for others. Commands in which one of `left_out` occurs
// are not run, and what they print is not compared.
Walked walk(const std::string& page, const std::set<std::string>& outputs,
    const std::map<std::string, std::string>& places = {}, const std::vector<std::string>& left_out = {});

std::string page_of(const std::string& name);

}  // namespace weft::commands_test
