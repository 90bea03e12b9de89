// The weft program as a child process.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace weft::commands_test {

struct Outcome {
    int code = -1;  // exit code; -1 when a signal ended it
    std::string out;
    std::string err;
};

class Process {
public:
    // Starts `weft ARGUMENTS` in the root of the source tree, or another program.
    explicit Process(const std::vector<std::string>& arguments, const std::string& out_path = "",
        const std::string& program = WEFT_PROGRAM);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    // What it has written to stderr so far.
    std::string err() const;
    // Waits until that holds `text`; false after a minute or when the process ended.
    bool wait_for_err(const std::string& text);
    void send(int signal) const;
    pid_t pid() const { return child_; }
    // Waits until it has so many bytes in memory; false after a minute or when it ended.
    bool wait_for_memory(std::uint64_t bytes);
    // Waits until it handles the signal itself; false after a minute or when it ended.
    bool wait_for_handler(int signal);
    Outcome wait();

private:
    bool has_ended();

    std::string out_path_;
    std::string err_path_;
    bool own_out_;
    pid_t child_ = 0;
    int status_ = 0;
    bool ended_ = false;
};

Outcome call(const std::vector<std::string>& arguments);

}  // namespace weft::commands_test
