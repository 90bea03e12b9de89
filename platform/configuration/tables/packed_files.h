// What `pack_files` writes while Weft is built: trees of the files in platform/profiles, as bytes.
#pragma once

#include <string_view>
#include <vector>

namespace weft {

struct PackedFile {
    const char* name;
    std::string_view bytes;  // YamlTree::packed
};

// In the order of their names.
std::vector<PackedFile> packed_files();

}  // namespace weft
