// Where the path of an output leads: links stay links, and what a program has open is not replaced.
#pragma once

#include <string>

namespace weft {

struct OutputTarget {
    std::string path;         // behind all links; there may be nothing yet
    bool descriptor = false;  // an open file of a process: /dev/stdout, /dev/fd/3. `path` is then as it was given
};

OutputTarget output_target(const std::string& path);

// Whether `path` is the file, pipe or device that the descriptor of this process is open on.
bool is_open_on(const std::string& path, int descriptor);

}  // namespace weft
