// Ctrl-C and SIGTERM. Outside an InterruptGuard nothing is lost by an end at once, and the process ends with exit code
// 130. Within one the signal is a flag: whoever simulates polls it and keeps what there is. Where nobody does within
// 0.8 s (one event fills gigabytes, say), or a second signal comes, the process ends at once as well.
#pragma once

namespace weft {

// For the life of the process; children that execute a program do not inherit it.
void end_on_interrupt();

class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    // Whoever is told so ends soon: it has the time that it needs to write what there is.
    static bool requested();
};

}  // namespace weft
