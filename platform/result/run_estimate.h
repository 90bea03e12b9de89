// The estimate of a run before any part of it is built: memory by kind, and time.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

struct RunEstimate {
    std::uint64_t gpus = 0;
    double gpu_bytes = 0;       // modules: tags, queues, units, and the process itself
    double content_bytes = 0;   // of buffers; 0 without data
    double schedule_bytes = 0;  // and its proof and programs
    double flight_bytes = 0;    // transactions in flight and registers
    double transactions = 0;    // of 64 bytes that GPUs issue, by all operands of all steps and signals; 0: not known
    double seconds = 0;         // 0: not known

    double bytes() const { return gpu_bytes + content_bytes + schedule_bytes + flight_bytes; }
    // "about 1.2 GB of memory (8 GPUs 0.1 GB, ...)"
    std::string memory_text() const;
    std::string time_text() const;  // "about 12 s", "about 3 h"
};

}  // namespace weft
