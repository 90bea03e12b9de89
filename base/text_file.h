// Whole files, gzip-transparent in, atomic out.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// Whether `path` is a pipe, a FIFO or a device: what is read from it cannot be read again.
bool is_stream(const std::string& path);

// The contents of `path`, inflated when it starts with the gzip magic, whatever its name; without the byte-order mark that some
// editors write.
// A stream is read once in the life of the process; later calls with its path return the same contents.
// Throws InputError when it cannot be read or inflated, or is larger than `limit` bytes.
std::string read_text_file(const std::string& path, std::size_t limit = std::size_t{1} << 31);

// Writes to a temporary file beside `path` and renames it: readers see all of it or nothing. A link stays one, to a file with the new
// contents; a file keeps its owner and mode.
// Throws InputError when the folder cannot be written.
void write_text_file(const std::string& path, std::string_view contents);

}  // namespace weft
