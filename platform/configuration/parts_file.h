// The parts of a run that is cut, as a user writes them down (`weft run --parts FILE`):
//
//     parts:
//     - ["host.0.*"]
//     - ["host.1.*", "spine.0"]
//
// Each item is a part: patterns (glob.h) over names of nodes.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct PartsFile {
    struct Pattern {
        std::string glob;
        int line = 0;
    };
    std::string file;
    std::vector<std::vector<Pattern>> parts;
    std::vector<int> lines;  // of each part
};

// Throws InputError.
PartsFile read_parts_file(const std::string& file);

}  // namespace weft
