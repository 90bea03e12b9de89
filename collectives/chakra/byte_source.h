// Bytes of a file in order, inflated on the way when it starts with the gzip magic. Memory is one
// buffer, whatever the file's size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/plain_or_gzip.h"

namespace weft::chakra {

class ByteSource {
public:
    // Throws InputError unless `path` is a regular file that can be read (a pipe could hang a run).
    explicit ByteSource(std::string path);

    // The next byte, or -1 at the end. Throws InputError on damaged gzip data or a read error.
    int get();
    int peek();
    // Appends up to `count` bytes to `out`; fewer only at the end of the file.
    void append_to(std::string& out, std::size_t count);

    std::uint64_t offset() const { return consumed_before_ + position_; }  // of the inflated bytes
    const std::string& path() const { return path_; }

private:
    bool refill();  // false at the end

    std::string path_;
    std::unique_ptr<PlainOrGzip> file_;
    std::vector<char> buffer_;
    std::size_t position_ = 0;
    std::size_t filled_ = 0;
    std::uint64_t consumed_before_ = 0;
    bool at_end_ = false;
};

}  // namespace weft::chakra
