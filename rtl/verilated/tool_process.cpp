#include "rtl/verilated/tool_process.h"

#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diagnostic.h"

namespace weft {

namespace {

// An interrupt handler of the simulation would only set a flag, which nobody reads before the tool has ended.
class PlainSignals {
public:
    PlainSignals()
    {
        for (std::size_t i = 0; i < signals.size(); ++i) {
            struct sigaction plain {};
            plain.sa_handler = SIG_DFL;
            ::sigaction(signals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) ::sigaction(signals[i], &plain, nullptr);
        }
    }
    ~PlainSignals()
    {
        for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    }
    PlainSignals(const PlainSignals&) = delete;
    PlainSignals& operator=(const PlainSignals&) = delete;

private:
    static constexpr std::array<int, 2> signals{SIGINT, SIGTERM};
    std::array<struct sigaction, 2> before_{};
};

int status_of(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Signal 0 of kill(2): the group of the caller, itself included.
extern "C" void end_group(int) { ::kill(0, SIGKILL); }

// In the guard. `parent`: who has to live.
[[noreturn]] void guard(pid_t parent, const char* command, int output)
{
    ::setpgid(0, 0);
    struct sigaction end {};
    end.sa_handler = end_group;
    ::sigaction(SIGTERM, &end, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(127);  // it was gone before the line above
    const pid_t tool = ::fork();
    if (tool == 0) {
        const int nothing = ::open("/dev/null", O_RDONLY);
        struct sigaction plain {};
        plain.sa_handler = SIG_DFL;
        ::sigaction(SIGTERM, &plain, nullptr);
        if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 || ::dup2(output, STDOUT_FILENO) < 0 ||
            ::dup2(output, STDERR_FILENO) < 0)
            ::_exit(126);
        ::execl("/bin/sh", "sh", "-c", command, static_cast<char*>(nullptr));
        ::_exit(127);
    }
    ::_exit(tool < 0 ? 127 : status_of(tool));
}

pid_t start(const std::string& command, int output)
{
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) throw InputError("", 0, "a process could not be started: " + command, "a higher limit of processes");
    if (child == 0) guard(parent, command.c_str(), output);
    return child;
}

}  // namespace

int run_tool(const std::string& command, const std::string& log)
{
    const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (output < 0) throw InputError(log, 0, "cannot be written", "a folder for verilated blocks (WEFT_RTL_CACHE)");
    const PlainSignals plain;
    const pid_t child = start(command, output);
    ::close(output);
    return status_of(child);
}

std::string tool_output(const std::string& command)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return "";
    const PlainSignals plain;
    const pid_t child = start(command + " 2>/dev/null", ends[1]);
    ::close(ends[1]);
    std::string out;
    char text[512];
    for (;;) {
        const ssize_t count = ::read(ends[0], text, sizeof text);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        out.append(text, static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    return status_of(child) == 0 ? out.substr(0, out.find('\n')) : "";
}

}  // namespace weft
