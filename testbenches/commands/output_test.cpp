// Files are tried before a run starts and written as a whole.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <systemc>
#include <unistd.h>

#include "base/diagnostic.h"
#include "platform/console/output_file.h"
#include "platform/console/standard_output.h"
#include "testbenches/commands/fixtures.h"
#include "testbenches/commands/process.h"

namespace output_test {

using namespace weft::commands_test;

TEST(Output, UnwritablePathsAreFoundBeforeALongRun)
{
    const Fixtures files;
    // Hours of simulation, were it to start.
    for (const std::string& path : {files.path("none/result.json"), files.path("")}) {
        const auto begun = std::chrono::steady_clock::now();
        const Outcome outcome = call({"run", "examples/dgx_h100/system.yaml", "--bytes", "4GiB", "--json", path});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err.compare(0, path.size() + 2, path + ": "), 0) << outcome.err;
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
    }
}

TEST(Output, AnOldFileStaysWhenTheRunIsRefused)
{
    const Fixtures files;
    files.write("result.json", "old");
    EXPECT_EQ(call({"run", files.pair_system(), "--ranks", "3", "--json", files.path("result.json")}).code, 2);
    EXPECT_EQ(files.read("result.json"), "old");
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml", "result.json"}));
    EXPECT_EQ(call({"run", files.pair_system(), "--json", files.path("result.json")}).code, 0);
    EXPECT_TRUE(nlohmann::json::accept(files.read("result.json")));
}

TEST(Output, DevicesAreNotReplaced)
{
    const Fixtures files;
    const auto before = std::filesystem::status("/dev/null").type();
    EXPECT_EQ(call({"run", files.pair_system(), "--json", "/dev/null"}).code, 0);
    EXPECT_EQ(std::filesystem::status("/dev/null").type(), before);
}

TEST(Output, AFullStandardOutputIsAFailure)
{
    if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
    const Fixtures files;
    Process process({"graph", files.pair()}, "/dev/full");
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "weft: the standard output cannot be written; expected an output with free space\n");
}

TEST(OutputFile, LeavesNothingBehindWhenNothingIsWritten)
{
    const Fixtures files;
    {
        const weft::OutputFile output(files.path("result.json"));
    }
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml"}));
    EXPECT_THROW(weft::OutputFile(files.path("none/x")), weft::InputError);
    EXPECT_THROW(weft::OutputFile(files.path("")), weft::InputError);
    weft::OutputFile(files.path("result.json")).write("all of it");
    EXPECT_EQ(files.read("result.json"), "all of it");
    EXPECT_FALSE(weft::OutputFile("").wanted());
}

TEST(Output, AnEmptyWindowOfASeriesLeavesStdoutToTheResult)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system(), "--set", "link.latency=5us", "--series",
        files.path("s.csv"), "--window", "100ns", "--json", "-", "--quiet"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["stop"], "finished");
}

TEST(Output, AnEndBeforeTheFirstEventWarnsNobody)
{
    const Fixtures files;
    const Outcome outcome = call(
        {"run", files.pair_system(), "--set", "gpu.launch_latency=1us", "--until", "1ns", "--json", "-", "--quiet"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["stop"], "until");
}

TEST(Output, NoiseOfOthersReachesStderr)
{
    const Fixtures files;
    std::fflush(nullptr);
    const int out = ::dup(1);
    const int err = ::dup(2);
    ::dup2(::open(files.path("out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
    ::dup2(::open(files.path("err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
    weft::keep_output_for_results();
    std::printf("a model's chatter\n");
    SC_REPORT_WARNING("/planted", "a doubt");
    std::fputs("a result\n", weft::results());
    std::fflush(nullptr);
    ::dup2(out, 1);
    ::dup2(err, 2);
    EXPECT_EQ(files.read("out"), "a result\n");
    const std::string noise = files.read("err");
    EXPECT_NE(noise.find("a model's chatter\n"), std::string::npos) << noise;
    EXPECT_NE(noise.find("weft: SystemC warning: /planted: a doubt\n"), std::string::npos) << noise;
}

}  // namespace output_test
