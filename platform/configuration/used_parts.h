// The parts of a system that a run or a report uses.
#pragma once

#include <vector>

namespace weft {

// The parts of the system that are simulated; an empty vector means all.
struct UsedParts {
    std::vector<bool> nodes;
    std::vector<bool> edges;
    std::vector<bool> transit;    // endpoints that pass lines of others on: they show a `switch` block (empty: none)
    std::vector<bool> combining;  // switches whose multicast and reduction are used (empty: none)
};

inline bool is_used(const std::vector<bool>& parts, std::size_t number)
{
    return parts.empty() || (number < parts.size() && parts[number]);
}

}  // namespace weft
