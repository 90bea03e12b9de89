#include "base/text_file.h"

#include <string>
#include <zlib.h>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "testbenches/support/scratch_folder.h"

namespace text_file_test {

using namespace weft;

TEST(TextFile, ReadsPlainAndGzipAlike)
{
    const test::ScratchFolder folder;
    const std::string path = folder.file("text");
    write_text_file(path, "hello\n");
    EXPECT_EQ(read_text_file(path), "hello\n");
    gzFile file = gzopen(path.c_str(), "wb");
    gzputs(file, "packed\n");
    gzclose(file);
    EXPECT_EQ(read_text_file(path), "packed\n");
    EXPECT_THROW(read_text_file(path, 3), InputError);
}

// Whatever the format of a text, some editors begin it with one.
TEST(TextFile, ComesWithoutItsByteOrderMark)
{
    const test::ScratchFolder folder;
    const std::string path = folder.file("text");
    write_text_file(path, "\xef\xbb\xbf<algo/>\n");
    EXPECT_EQ(read_text_file(path), "<algo/>\n");
    write_text_file(path, "\xef\xbb");
    EXPECT_EQ(read_text_file(path), "\xef\xbb");
}

TEST(TextFile, NamesTheFileThatCannotBeRead)
{
    try {
        read_text_file("/no/such/file");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find("/no/such/file: cannot be read"), 0u);
    }
}

}  // namespace text_file_test
