#include "base/plain_or_gzip.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

#include <zlib.h>

namespace weft {

namespace {

constexpr std::size_t chunk = std::size_t{1} << 18;
constexpr int gzip_only = 15 + 16;

}  // namespace

struct PlainOrGzip::State {
    enum class Part { start, plain, member, between, end };

    int file = -1;
    Part part = Part::start;
    bool at_end = false;
    bool padding = false;
    z_stream stream{};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(chunk);

    ~State()
    {
        if (part == Part::member) ::inflateEnd(&stream);
        if (file >= 0) ::close(file);
    }

    // At least `wanted` bytes to look at, unless the file has fewer. False where it cannot be read.
    bool fill(std::size_t wanted, std::string& reason)
    {
        while (stream.avail_in < wanted && !at_end) {
            std::copy_n(stream.next_in, stream.avail_in, bytes.data());
            stream.next_in = bytes.data();
            const ssize_t count = ::read(file, bytes.data() + stream.avail_in, bytes.size() - stream.avail_in);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) {
                reason = std::strerror(errno);
                return false;
            }
            at_end = count == 0;
            stream.avail_in += static_cast<unsigned>(count);
        }
        return true;
    }

    bool magic() const { return stream.avail_in >= 2 && stream.next_in[0] == 0x1f && stream.next_in[1] == 0x8b; }

    bool begin_member(std::string& reason)
    {
        if (::inflateInit2(&stream, gzip_only) != Z_OK) {
            reason = "no memory to inflate it";
            return false;
        }
        part = Part::member;
        return true;
    }

    // Behind a member: another one, zeros up to the end, or the end.
    bool go_on(std::string& reason)
    {
        if (!fill(2, reason)) return false;
        if (!padding && magic()) return begin_member(reason);
        while (stream.avail_in > 0 || !at_end) {
            if (std::any_of(stream.next_in, stream.next_in + stream.avail_in, [](unsigned char c) { return c != 0; })) {
                reason = "bytes that are no gzip data follow its gzip data";
                return false;
            }
            padding = true;
            stream.avail_in = 0;
            if (!fill(1, reason)) return false;
        }
        part = Part::end;
        return true;
    }

    std::size_t inflate_into(char* out, std::size_t size, std::string& reason)
    {
        stream.next_out = reinterpret_cast<unsigned char*>(out);
        stream.avail_out = static_cast<unsigned>(size);
        if (!fill(1, reason)) return 0;
        if (stream.avail_in == 0) {
            reason = "unexpected end of file";
            return 0;
        }
        const int code = ::inflate(&stream, Z_NO_FLUSH);
        if (code == Z_STREAM_END) {
            ::inflateEnd(&stream);
            part = Part::between;
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            reason = stream.msg != nullptr ? stream.msg : "damaged gzip data";
            return 0;
        }
        return size - stream.avail_out;
    }

    std::size_t take_plain(char* out, std::size_t size, std::string& reason)
    {
        if (!fill(1, reason)) return 0;
        const std::size_t count = std::min<std::size_t>(size, stream.avail_in);
        std::copy_n(stream.next_in, count, reinterpret_cast<unsigned char*>(out));
        stream.next_in += count;
        stream.avail_in -= static_cast<unsigned>(count);
        return count;
    }
};

PlainOrGzip::PlainOrGzip(const std::string& path, std::string& reason) : state_(std::make_unique<State>())
{
    state_->stream.next_in = state_->bytes.data();
    state_->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (state_->file < 0) reason = std::strerror(errno);
}

PlainOrGzip::~PlainOrGzip() = default;

std::size_t PlainOrGzip::read(char* out, std::size_t size, std::string& reason)
{
    using Part = State::Part;
    State& state = *state_;
    size = std::min(size, chunk);
    while (reason.empty()) {
        std::size_t count = 0;
        switch (state.part) {
        case Part::start:
            if (!state.fill(2, reason)) return 0;
            if (!state.magic())
                state.part = Part::plain;
            else if (!state.begin_member(reason))
                return 0;
            break;
        case Part::plain: return state.take_plain(out, size, reason);
        case Part::member: count = state.inflate_into(out, size, reason); break;
        case Part::between:
            if (!state.go_on(reason)) return 0;
            break;
        case Part::end: return 0;
        }
        if (count > 0) return count;
    }
    return 0;
}

}  // namespace weft
