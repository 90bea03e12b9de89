// Where to look when values do not go together: at what the user said last of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/configuration/resolved_system.h"

namespace weft {

struct ValuePlace {
    std::string file;  // "--set" for the command line
    int line = 0;      // 0: none
};

// The place of the value whose layer comes last: a profile's file (there the later line), the document, its annotations, the system
// file, --set. Defaults and built-in figures have no place; nothing where all values are such.
std::optional<ValuePlace> last_word(const ResolvedSystem& system, const std::vector<SourceId>& values);

}  // namespace weft
