// Which files this process has read, for records of what a result depends on, and which it will write. Every reader of
// files notes them here; so a file that is an input is never replaced by an output of the same command.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace weft {

// By the path as it was opened. A path at which no file was found, and which would have been read, is noted, too. Throws
// InputError for a file that is claimed as an output.
void note_read_file(const std::string& path);

// Sorted, each once.
std::vector<std::string> read_files();

// A file is an output as long as its claim, or a copy of that, exists.
using OutputClaim = std::shared_ptr<const void>;

// `path` will be written. Throws InputError for a file that is read, or is an output already.
OutputClaim claim_output_file(const std::string& path);

}  // namespace weft
