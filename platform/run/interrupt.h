// Ctrl-C as a flag, for as long as the object lives.
#pragma once

namespace weft {

class InterruptGuard {
public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static bool requested();
};

}  // namespace weft
