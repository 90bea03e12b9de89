// Ctrl-C, SIGTERM and, unless the process is to ignore it (nohup), SIGHUP. Outside an InterruptGuard nothing is lost by an end at once, and the process ends with exit code
// 130. Within one the signal is a flag: whoever simulates polls it and keeps what there is. Where nobody does within
// 0.8 s (one event fills gigabytes, say), or a second signal comes, the process ends at once as well.
//
// Of a run over several processes each is told of the others on its machine: a launcher ends all when one has died, and who is ended so
// says which one it was.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace weft {

struct PeerProcess {
    std::uint32_t number;
    pid_t pid;
};
// Before time starts, once.
void know_peers(std::vector<PeerProcess> peers);

// For the life of the process; children that execute a program do not inherit it.
void end_on_interrupt();

bool ends_on_hangup();

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
