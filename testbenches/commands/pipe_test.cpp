// Documents and systems that come from a pipe are read once.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace pipe_test {

using namespace weft::commands_test;

namespace {

// `weft ARGUMENTS` with a FIFO, which gives `text` to its first reader and nothing to a second.
Outcome call_with_fifo(const std::string& fifo, const std::string& text, const std::vector<std::string>& arguments)
{
    EXPECT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(fifo) << text; });
    Outcome outcome = call(arguments);
    writer.join();
    return outcome;
}

std::string without(std::string text, const std::string& word)
{
    for (std::size_t at = 0; (at = text.find(word)) != std::string::npos;) text.erase(at, word.size());
    return text;
}

}  // namespace

TEST(Pipe, CheckReadsADocumentFromAFifo)
{
    const Fixtures files;
    const std::string fifo = files.path("document");
    const Outcome outcome = call_with_fifo(fifo, files.read("pair.yaml"), {"check", fifo});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(without(outcome.out, fifo), without(call({"check", files.pair()}).out, files.pair()));
}

TEST(Pipe, CheckReadsTheStandardInput)
{
    const Fixtures files;
    const std::string text = files.read("pair.yaml");
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    const Outcome outcome = call({"check", "/dev/stdin"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("pair"), std::string::npos) << outcome.out;
}

TEST(Pipe, ASystemFindsItsDocumentFromTheCurrentFolder)
{
    const Fixtures files;
    const std::string fifo = files.path("system");
    const Outcome outcome = call_with_fifo(fifo,
        "infrastructure: examples/dgx_h100/dgx_h100.yaml\nprofile: h100\nworkload: {collective: all_reduce, bytes: 4 "
        "KiB}\n",
        {"run", fifo, "--no-data"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("all_reduce, ring, 8 ranks, 4 KiB"), std::string::npos) << outcome.out;
}

TEST(Pipe, ManyRunsRefuseWhatCanBeReadOnlyOnce)
{
    const Fixtures files;
    const std::string fifo = files.path("system");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);  // nobody writes: it is refused unread
    const Outcome outcome = call({"sweep", "--infra", fifo, "--over", "seed=1,2"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err,
        fifo + ": can be read only once; expected a regular file: every run of 'weft sweep' reads it\n");
}

}  // namespace pipe_test
