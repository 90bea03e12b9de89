// The YAML files of platform/profiles, compiled into the program.
#pragma once

#include <string>
#include <vector>

namespace weft {

struct EmbeddedFile {
    std::string name;  // "h100.yaml"
    std::string contents;
};

// In the order of their names.
const std::vector<EmbeddedFile>& embedded_files();

}  // namespace weft
