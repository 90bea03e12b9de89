// Causes of waiting in words.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/result/run_result.h"

namespace weft {

// The cause of a wait of a workgroup or of a segment of a critical path: "latency" is "latency of links, switches and caches".
std::string words_of_cause(const std::string& cause);

struct LargestCauses {
    std::string of;                  // what the shares are of
    std::vector<std::string> words;  // the three largest, each with its share and time
};

// Causes of the critical path of the longest collective; without one those of the mean rank.
LargestCauses largest_causes(const RunResult& result);

}  // namespace weft
