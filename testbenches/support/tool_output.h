// What a command of tools/ prints and how it ends.
#pragma once

#include <cstdio>
#include <string>

#include <sys/wait.h>

namespace weft::test {

struct ToolOutput {
    int code = -1;  // -1: it could not be started, or a signal ended it
    std::string text;

    // The tool says that what it needs is not installed.
    bool missing() const { return code == 77; }
};

// `command` is a shell's, from the root of the tree: "tools/layout --check".
inline ToolOutput tool_output(const std::string& command)
{
    ToolOutput out;
    FILE* pipe = popen(("cd '" WEFT_SOURCE_DIR "' && " + command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return out;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out.text += static_cast<char>(c);
    const int status = pclose(pipe);
    if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
    return out;
}

}  // namespace weft::test
