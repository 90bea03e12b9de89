#include "collectives/chakra/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <utility>

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
    std::string reason;
    file_ = std::make_unique<PlainOrGzip>(path_, reason);
    if (!reason.empty()) throw InputError(path_, 0, "cannot be read: " + reason, "a trace file");
}

bool ByteSource::refill()
{
    if (at_end_) return false;
    consumed_before_ += filled_;
    position_ = 0;
    filled_ = 0;
    std::string reason;
    filled_ = file_->read(buffer_.data(), buffer_.size(), reason);
    if (!reason.empty())
        throw InputError(path_, 0, "byte " + std::to_string(offset()) + ": cannot be read: " + reason,
            "plain or whole gzip data");
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
