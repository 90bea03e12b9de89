#include "platform/simulation/interrupt.h"

#include <csignal>
#include <string_view>

#include <sys/time.h>
#include <unistd.h>

namespace weft {

namespace {

constexpr std::string_view last_words = "weft: interrupted; no result is written\n";
constexpr int exit_code = 130;
constexpr suseconds_t patience_us = 800'000;

volatile std::sig_atomic_t guarded = 0;
volatile std::sig_atomic_t interrupted = 0;

// Only what a signal handler may call.
[[noreturn]] void end_at_once()
{
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, last_words.data(), last_words.size());
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
    if (guarded == 0 || interrupted != 0) end_at_once();
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

void end_on_interrupt()
{
    handle(SIGINT, on_signal);
    handle(SIGTERM, on_signal);
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
