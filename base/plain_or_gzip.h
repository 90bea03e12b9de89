// The bytes of a file, inflated on the way when it starts with the gzip magic: one member or several, padding of zeros behind
// them. What else follows the last member is a damaged file; zlib's own reader of files drops it without a word.
#pragma once

#include <memory>
#include <string>

namespace weft {

class PlainOrGzip {
public:
    // `reason`: set where the file cannot be opened. A pipe is read as it comes.
    PlainOrGzip(const std::string& path, std::string& reason);
    ~PlainOrGzip();
    PlainOrGzip(const PlainOrGzip&) = delete;
    PlainOrGzip& operator=(const PlainOrGzip&) = delete;

    // Up to `size` bytes into `out`; 0 at the end, and where `reason` says what is wrong.
    std::size_t read(char* out, std::size_t size, std::string& reason);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace weft
