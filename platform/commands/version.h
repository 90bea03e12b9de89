// The release and its commit.
#pragma once

#include <string>

namespace weft {

// "weft 0.1.0 (commit 0123456789ab)"; without the commit where the sources were in no repository.
std::string version_text();

}  // namespace weft
