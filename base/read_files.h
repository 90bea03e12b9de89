// Which files this process has read, for records of what a result depends on. Every reader of files notes them here.
#pragma once

#include <string>
#include <vector>

namespace weft {

// By the path as it was opened. A path at which no file was found, and which would have been read, is noted, too.
void note_read_file(const std::string& path);

// Sorted, each once.
std::vector<std::string> read_files();

}  // namespace weft
