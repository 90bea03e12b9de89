// The YAML files of platform/profiles, read while the program was built: reading them at its start took half of that.
#pragma once

#include <string>
#include <vector>

#include "infragraph/yaml_tree.h"

namespace weft {

struct EmbeddedFile {
    std::string name;  // "h100.yaml"
    YamlTree tree;
};

// In the order of their names.
const std::vector<EmbeddedFile>& embedded_files();

// Throws InputError where this program has none of that name.
const YamlTree& embedded_file(const std::string& name);

}  // namespace weft
