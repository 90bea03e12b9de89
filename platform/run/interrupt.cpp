#include "platform/run/interrupt.h"

#include <csignal>

namespace weft {

namespace {

volatile std::sig_atomic_t interrupted = 0;
struct sigaction previous_int;
struct sigaction previous_term;

extern "C" void on_signal(int) { interrupted = 1; }

}  // namespace

InterruptGuard::InterruptGuard()
{
    struct sigaction action{};
    action.sa_handler = on_signal;
    // A second Ctrl-C ends the process at once.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    interrupted = 0;
    sigaction(SIGINT, &action, &previous_int);
    sigaction(SIGTERM, &action, &previous_term);
}

InterruptGuard::~InterruptGuard()
{
    sigaction(SIGINT, &previous_int, nullptr);
    sigaction(SIGTERM, &previous_term, nullptr);
}

bool InterruptGuard::requested() { return interrupted != 0; }

}  // namespace weft
