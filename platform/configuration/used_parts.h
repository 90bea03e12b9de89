// Which parts of a system a run, or a report, is about.
#pragma once

#include <vector>

namespace weft {

// What of the system is simulated; an empty vector stands for everything.
struct UsedParts {
    std::vector<bool> nodes;
    std::vector<bool> edges;
    std::vector<bool>
        transit;  // endpoints that pass lines of others on: they show a `switch` block (empty: none)
};

}  // namespace weft
