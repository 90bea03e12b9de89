#include "platform/applications/sweep/processes.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text_file.h"
#include "platform/console/messages.h"
#include "platform/console/interrupt.h"
#include "platform/console/told_reads.h"

namespace weft {

namespace {

// Signals of interest are blocked and waited for, so that none can slip in between a look and a wait.
class BlockedSignals {
public:
    BlockedSignals()
    {
        sigemptyset(&set_);
        for (const int signal : {SIGCHLD, SIGINT, SIGTERM}) sigaddset(&set_, signal);
        if (ends_on_hangup()) sigaddset(&set_, SIGHUP);
        sigprocmask(SIG_BLOCK, &set_, &before_);
    }
    ~BlockedSignals() { restore(); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

    void restore() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    int wait() const { return sigwaitinfo(&set_, nullptr); }

private:
    sigset_t set_{};
    sigset_t before_{};
};

void redirect(int descriptor, const char* path)
{
    const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) ::_exit(exit_refused);
    ::dup2(file, descriptor);
    ::close(file);
}

std::string told_path(const ProcessCall& call) { return call.error_path + ".reads"; }

pid_t start(const ProcessCall& call, const BlockedSignals& signals)
{
    std::vector<char*> arguments{const_cast<char*>("weft")};
    for (const std::string& argument : call.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0)
        throw usage_error(std::string("no further process can be started: ") + std::strerror(errno), "fewer jobs (-j)");
    if (child > 0) return child;

    // A group of its own, so that a terminal's Ctrl-C reaches the parent alone; but never outlive it.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(exit_interrupted);
    redirect(STDOUT_FILENO, "/dev/null");
    redirect(STDERR_FILENO, call.error_path.c_str());
    signals.restore();
    ::setenv("WEFT_ALONE", "1",
        1);  // no process of a launcher's, though it inherits what a launcher says (platform/parallel/launched.h)
    ::setenv(told_reads_variable, told_path(call).c_str(), 1);
    ::execv("/proc/self/exe", arguments.data());
    ::_exit(exit_refused);
}

}  // namespace

bool run_processes(const std::vector<ProcessCall>& calls, unsigned jobs,
    const std::function<void(std::size_t, ProcessEnd)>& done)
{
    const BlockedSignals signals;
    std::map<pid_t, std::size_t> running;
    std::size_t next = 0;
    std::set<std::string> told;  // mostly the same for all
    bool interrupted = false;
    while ((!interrupted && next < calls.size()) || !running.empty()) {
        while (!interrupted && next < calls.size() && running.size() < jobs) {
            running.emplace(start(calls[next], signals), next);
            ++next;
        }
        const int signal = signals.wait();
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
            interrupted = true;
            for (const auto& entry : running) ::kill(entry.first, SIGINT);
        }
        int status = 0;
        for (pid_t child = 0; (child = ::waitpid(-1, &status, WNOHANG)) > 0;) {
            const auto entry = running.find(child);
            if (entry == running.end()) continue;
            ProcessEnd end;
            end.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
            told.insert(take_told_reads(told_path(calls[entry->second])));
            done(entry->second, end);
            running.erase(entry);
        }
    }
    for (const std::string& files : told) note_told_reads(files);
    return interrupted;
}

std::string errors_of(const std::string& error_path)
{
    constexpr std::string_view notice = "notice: ";
    const std::string text = read_text_file(error_path);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        if (text.compare(at, notice.size(), notice) != 0) out.append(text, at, end - at);
        at = end;
    }
    return out;
}

}  // namespace weft
