#include "collectives/chakra/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <utility>

#include <zlib.h>

#include "base/diagnostic.h"
#include "base/read_files.h"

namespace weft::chakra {

namespace {

constexpr std::size_t buffer_size = std::size_t{1} << 16;

}  // namespace

ByteSource::ByteSource(std::string path) : path_(std::move(path)), buffer_(buffer_size)
{
    struct stat info {};
    if (::stat(path_.c_str(), &info) != 0)
        throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno), "a trace file");
    if (!S_ISREG(info.st_mode)) throw InputError(path_, 0, "is not a regular file", "a trace file");
    note_read_file(path_);
    file_ = ::gzopen(path_.c_str(), "rb");
    if (file_ == nullptr)
        throw InputError(path_, 0, std::string("cannot be read: ") + std::strerror(errno), "a trace file");
}

ByteSource::~ByteSource() { ::gzclose(static_cast<gzFile>(file_)); }

bool ByteSource::refill()
{
    if (at_end_) return false;
    consumed_before_ += filled_;
    position_ = 0;
    filled_ = 0;
    const auto file = static_cast<gzFile>(file_);
    const int count = ::gzread(file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    int code = Z_OK;
    const char* reason = ::gzerror(file, &code);
    if (count < 0 || (code != Z_OK && code != Z_STREAM_END))
        throw InputError(path_, 0,
            "byte " + std::to_string(offset()) +
                ": cannot be read: " + (code == Z_ERRNO ? std::strerror(errno) : reason),
            "plain or whole gzip data");
    filled_ = static_cast<std::size_t>(count);
    at_end_ = filled_ == 0;
    return !at_end_;
}

int ByteSource::peek()
{
    if (position_ == filled_ && !refill()) return -1;
    return static_cast<unsigned char>(buffer_[position_]);
}

int ByteSource::get()
{
    const int byte = peek();
    if (byte >= 0) ++position_;
    return byte;
}

void ByteSource::append_to(std::string& out, std::size_t count)
{
    while (count > 0 && peek() >= 0) {
        const std::size_t part = std::min(count, filled_ - position_);
        out.append(buffer_.data() + position_, part);
        position_ += part;
        count -= part;
    }
}

}  // namespace weft::chakra
