// The built-in profiles and tables as Markdown: docs/models/profiles.md, which a test keeps up to date.
#pragma once

#include <string>

namespace weft {

std::string profiles_markdown();

}  // namespace weft
