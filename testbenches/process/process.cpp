#include "testbenches/process/process.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text_file.h"

namespace weft::commands_test {

namespace {

std::string temporary_file()
{
    char path[] = "/tmp/weft-commands-XXXXXX";
    const int file = ::mkstemp(path);
    if (file < 0) throw std::runtime_error("no temporary file");
    ::close(file);
    return path;
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const std::string& out_path, const std::string& program)
    : out_path_(out_path.empty() ? temporary_file() : out_path), err_path_(temporary_file()), own_out_(out_path.empty())
{
    std::vector<char*> words{const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    child_ = ::fork();
    if (child_ < 0) throw std::runtime_error("no process");
    if (child_ > 0) return;
    const int out = ::open(out_path_.c_str(), O_WRONLY | O_TRUNC);
    const int err = ::open(err_path_.c_str(), O_WRONLY | O_TRUNC);
    if (out < 0 || err < 0 || ::dup2(out, 1) < 0 || ::dup2(err, 2) < 0 || ::chdir(WEFT_SOURCE_DIR) != 0) ::_exit(99);
    ::execvp(program.c_str(), words.data());
    ::_exit(98);
}

Process::~Process()
{
    if (!ended_) {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }
    if (own_out_) ::unlink(out_path_.c_str());
    ::unlink(err_path_.c_str());
}

std::string Process::err() const { return read_text_file(err_path_); }

bool Process::wait_for_err(const std::string& text)
{
    for (int i = 0; i < 6000; ++i) {
        if (err().find(text) != std::string::npos) return true;
        if (!ended_ && ::waitpid(child_, &status_, WNOHANG) == child_) ended_ = true;
        if (ended_) return false;
        ::usleep(10000);
    }
    return false;
}

bool Process::wait_for_memory(std::uint64_t bytes)
{
    for (int i = 0; i < 60000; ++i) {
        std::uint64_t size = 0;
        std::uint64_t pages = 0;
        std::ifstream("/proc/" + std::to_string(child_) + "/statm") >> size >> pages;
        if (pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >= bytes) return true;
        if (has_ended()) return false;
        ::usleep(1000);
    }
    return false;
}

bool Process::wait_for_handler(int signal)
{
    for (int i = 0; i < 60000; ++i) {
        std::ifstream status("/proc/" + std::to_string(child_) + "/status");
        for (std::string line; std::getline(status, line);)
            if (line.rfind("SigCgt:", 0) == 0 && (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0)
                return true;
        if (has_ended()) return false;
        ::usleep(1000);
    }
    return false;
}

bool Process::has_ended()
{
    if (!ended_ && ::waitpid(child_, &status_, WNOHANG) == child_) ended_ = true;
    return ended_;
}

void Process::send(int signal) const { ::kill(child_, signal); }

Outcome Process::wait()
{
    if (!ended_) ::waitpid(child_, &status_, 0);
    ended_ = true;
    Outcome outcome;
    outcome.code = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    if (own_out_) outcome.out = read_text_file(out_path_);
    outcome.err = err();
    return outcome;
}

Outcome call(const std::vector<std::string>& arguments) { return Process(arguments).wait(); }

}  // namespace weft::commands_test
