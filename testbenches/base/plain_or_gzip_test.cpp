// Plain files and gzip data of one member or several come whole; damage is named, whatever the sizes of reads.
#include "base/plain_or_gzip.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "testbenches/support/scratch_folder.h"

namespace plain_or_gzip_test {

using namespace weft;

namespace {

std::string zipped(const std::string& text)
{
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<unsigned>(text.size());
    stream.next_out = reinterpret_cast<unsigned char*>(out.data());
    stream.avail_out = static_cast<unsigned>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string read_in(const std::string& bytes, std::size_t part)
{
    const test::ScratchFolder folder;
    const std::string path = folder.file("bytes");
    std::ofstream(path, std::ios::binary) << bytes;
    std::string reason;
    PlainOrGzip file(path, reason);
    std::string out;
    std::string buffer(part, '\0');
    while (const std::size_t count = file.read(buffer.data(), part, reason)) out.append(buffer, 0, count);
    return reason.empty() ? out : "! " + reason;
}

// The same by single bytes and at once.
std::string whole(const std::string& bytes)
{
    const std::string out = read_in(bytes, std::size_t{1} << 16);
    if (bytes.size() < 10'000) {
        EXPECT_EQ(read_in(bytes, 1), out);
    }
    return out;
}

}  // namespace

TEST(PlainOrGzip, ComesWhole)
{
    std::string large;
    for (int i = 0; i < 200'000; ++i) large += std::to_string(i * 7919 % 10007);
    for (const std::string& text :
        {std::string(), std::string("x"), std::string("\x1f"), std::string("two\nlines\n"), large}) {
        EXPECT_EQ(whole(text), text);
        EXPECT_EQ(whole(zipped(text)), text);
        EXPECT_EQ(whole(zipped(text) + zipped("") + zipped("end")), text + "end");
        EXPECT_EQ(whole(zipped(text) + std::string(300'000, '\0')), text);
    }
}

TEST(PlainOrGzip, DamageIsNamed)
{
    const std::string good = zipped("some text of one member");
    const std::string follow = "! bytes that are no gzip data follow its gzip data";
    EXPECT_EQ(whole(good + "engine: {channels: 5}\n"), follow);
    EXPECT_EQ(whole(good + "x"), follow);
    EXPECT_EQ(whole(good + std::string(300'000, '\0') + "x"), follow);
    EXPECT_EQ(whole(good + std::string(3, '\0') + good), follow);
    std::string flipped = zipped("the second one");
    flipped[1] ^= 1;
    EXPECT_EQ(whole(good + flipped), follow);
    EXPECT_EQ(whole(good.substr(0, good.size() - 3)), "! unexpected end of file");
    EXPECT_EQ(whole(good.substr(0, 12)), "! unexpected end of file");
    std::string other = good;
    other[other.size() - 6] ^= 1;
    EXPECT_EQ(whole(other), "! incorrect data check");
}

TEST(PlainOrGzip, AFileThatIsNotThereIsSaid)
{
    std::string reason;
    const PlainOrGzip file("/nonexistent/file", reason);
    EXPECT_EQ(reason, "No such file or directory");
}

}  // namespace plain_or_gzip_test
