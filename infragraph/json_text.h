// Pieces of JSON for writers that build large texts directly.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// "text" with quotes and escapes. Bytes that are no UTF-8 become U+FFFD.
std::string json_quoted(std::string_view text);

}  // namespace weft
