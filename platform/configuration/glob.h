// Shell-like patterns over names and parameter paths: `*` stands for any characters (dots too), `?` for
// one. Everything else, brackets included, stands for itself: node names may contain them.
#pragma once

#include <string_view>

namespace weft {

bool has_glob(std::string_view text);
bool glob_matches(std::string_view pattern, std::string_view text);

}  // namespace weft
