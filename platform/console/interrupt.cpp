#include "platform/console/interrupt.h"

#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include <sys/time.h>
#include <unistd.h>

namespace weft {

namespace {

constexpr std::string_view last_words = "weft: interrupted; no result is written\n";
constexpr int exit_code = 130;
constexpr suseconds_t patience_us = 800'000;

// Written before a signal can ask for it, and kept until the process ends.
const std::vector<PeerProcess>* peers_known = nullptr;

volatile std::sig_atomic_t guarded = 0;
volatile std::sig_atomic_t interrupted = 0;

// In what follows there is only what a signal handler may call.

std::size_t append(char* line, std::size_t at, std::string_view text)
{
    for (const char letter : text) line[at++] = letter;
    return at;
}

std::size_t append(char* line, std::size_t at, std::uint64_t number)
{
    if (number >= 10) at = append(line, at, number / 10);
    line[at++] = static_cast<char>('0' + number % 10);
    return at;
}

const PeerProcess* dead_peer()
{
    if (peers_known == nullptr) return nullptr;
    for (const PeerProcess& peer : *peers_known)
        if (::kill(peer.pid, 0) != 0 && errno == ESRCH) return &peer;
    return nullptr;
}

[[noreturn]] void end_at_once()
{
    char line[128];
    std::size_t length = 0;
    if (const PeerProcess* const peer = dead_peer()) {
        length = append(line, length, "weft: process ");
        length = append(line, length, std::uint64_t{peer->number});
        length = append(line, length, " (pid ");
        length = append(line, length, static_cast<std::uint64_t>(peer->pid));
        length = append(line, length, ") has died; no result is written\n");
    } else {
        length = append(line, length, last_words);
    }
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line, length);
    ::_exit(exit_code);
}

void set_alarm(suseconds_t us)
{
    itimerval timer{};
    timer.it_value.tv_usec = us;
    ::setitimer(ITIMER_REAL, &timer, nullptr);
}

extern "C" void on_alarm(int) { end_at_once(); }

extern "C" void on_signal(int)
{
    if (guarded == 0 || interrupted != 0 || dead_peer() != nullptr) end_at_once();
    interrupted = 1;
    set_alarm(patience_us);
}

void handle(int signal, void (*handler)(int))
{
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
}

}  // namespace

void know_peers(std::vector<PeerProcess> peers) { peers_known = new std::vector<PeerProcess>(std::move(peers)); }

bool ends_on_hangup()
{
    struct sigaction now {};
    return ::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler != SIG_IGN;
}

void end_on_interrupt()
{
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
    if (ends_on_hangup()) handle(SIGHUP, on_signal);
}

InterruptGuard::InterruptGuard()
{
    interrupted = 0;
    handle(SIGALRM, on_alarm);
    end_on_interrupt();
    guarded = 1;
}

InterruptGuard::~InterruptGuard()
{
    guarded = 0;
    set_alarm(0);
}

bool InterruptGuard::requested()
{
    if (interrupted == 0) return false;
    set_alarm(0);
    return true;
}

}  // namespace weft
