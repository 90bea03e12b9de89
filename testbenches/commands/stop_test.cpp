// Runs that do not finish: limits, deadlock, interruption.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"

namespace stop_test {

using namespace weft::commands_test;
using nlohmann::json;

TEST(Stop, UntilEndsARunThere)
{
    const Fixtures files;
    const Outcome outcome = call({"run", files.pair_system(), "--until", "1us", "--json", files.path("r.json")});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\nstopped     at 1 us, at the limit of --until; results are partial\n"),
        std::string::npos)
        << outcome.out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["stop"], "until");
    EXPECT_EQ(result["simulated_ps"], 1000000);
    EXPECT_EQ(result["partial"], true);
    EXPECT_EQ(result["verified"], "off");
}

// A kernel that takes minutes beside a collective of microseconds: the run says what it is at, and ends with what there is.
TEST(Stop, AKernelThatOutlastsTheCollectiveIsSaid)
{
    // With two ranks the collective has ended before the first line on progress comes.
    Process run({"run", "examples/dgx_h100/system.yaml", "--fidelity", "flow", "--bytes", "64KiB", "--ranks", "2",
        "--beside", "gemm:60000,60000,60000"});
    EXPECT_TRUE(run.wait_for_err("M messages/s; the workload has ended, its background kernel has not\n")) << run.err();
    run.send(SIGINT);
    const Outcome outcome = run.wait();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\nbackground  gemm:60000,60000,60000: none has ended\n"), std::string::npos)
        << outcome.out;
}

TEST(Stop, MutuallyWaitingReceivesAreNamed)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::string prefix = traces.write_set({{recv(1, 1, 5, 256), NodeText(send(2, 1, 6, 256)).data({1})},
        {recv(1, 0, 6, 256), NodeText(send(2, 0, 5, 256)).data({1})}});
    const Outcome outcome = call({"run", files.pair(), "--trace", prefix, "--json", files.path("r.json")});
    EXPECT_EQ(outcome.code, 3) << outcome.err;
    EXPECT_NE(outcome.out.find("\nDEADLOCK    at "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\nwaiting     "), std::string::npos) << outcome.out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["stop"], "deadlock");
    EXPECT_EQ(result["partial"], true);
    ASSERT_GE(result["blocked"].size(), 2u) << result["blocked"];
    const std::string all = result["blocked"].dump();
    for (const std::string rank : {"rank 0", "rank 1"}) EXPECT_NE(all.find(rank), std::string::npos) << all;
}

TEST(Stop, CtrlCKeepsWhatThereIs)
{
    const Fixtures files;
    Process process(
        {"run", "examples/dgx_h100/system.yaml", "--bytes", "4GiB", "--no-data", "--json", files.path("r.json")});
    ASSERT_TRUE(process.wait_for_err("simulated ")) << process.err();
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_NE(outcome.out.find("\nINTERRUPTED at "), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("results are partial"), std::string::npos) << outcome.out;
    const json result = json::parse(files.read("r.json"));
    EXPECT_EQ(result["stop"], "interrupted");
    EXPECT_EQ(result["partial"], true);
    EXPECT_GT(result["simulated_ps"], 0);
    EXPECT_EQ(files.names(), (std::vector<std::string>{"pair.yaml", "pair_system.yaml", "r.json"}));
}

namespace {

// Sends the signal, and what came of it within a second.
void expect_prompt_end(Process& process, int signal)
{
    const auto sent = std::chrono::steady_clock::now();
    process.send(signal);
    const Outcome outcome = process.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(1));
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("weft: interrupted; no result is written\n"), std::string::npos) << outcome.err;
}

// Many accelerators behind a switch.
std::string rack(const Fixtures& files)
{
    return files.write("rack.yaml",
        "name: rack\ndevices:\n- name: box\n  components:\n"
        "  - {name: xpu, choice: xpu, count: 256, description: accelerator}\n"
        "  - {name: sw, choice: switch, count: 1, description: switch}\n"
        "  links:\n  - {name: wire, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}\n"
        "  edges:\n  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
        "instances:\n- {name: host, device: box, count: 1}\n");
}

constexpr std::uint64_t megabyte = 1'000'000;

}  // namespace

TEST(Stop, MemoriesThatAreFilledAreLeft)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        // Inputs of 4 GiB; eight GPUs alone take a quarter of what is waited for.
        Process process({"run", "examples/dgx_h100/system.yaml", "--bytes", "512MiB", "--memory-limit", "100GB"});
        ASSERT_TRUE(process.wait_for_memory(250 * megabyte)) << process.err();
        expect_prompt_end(process, signal);
    }
}

TEST(Stop, ALargeSystemThatIsBuiltIsLeft)
{
    const Fixtures files;
    Process process(
        {"run", "--infra", rack(files), "--profile", "generic", "--collective", "barrier", "--memory-limit", "100GB"});
    ASSERT_TRUE(process.wait_for_memory(200 * megabyte)) << process.err();  // of 1400
    expect_prompt_end(process, SIGINT);
}

TEST(Stop, AChoiceOfAnAlgorithmIsLeft)
{
    const Fixtures files;
    Process process({"run", "--infra", rack(files), "--profile", "generic", "--collective", "all_reduce", "--bytes",
        "1MiB", "--algorithm", "auto", "--ranks", "256", "--no-data", "--memory-limit", "100GB"});
    // Two seconds in, and then every ten: how far it is. Pricing takes some forty.
    ASSERT_TRUE(process.wait_for_err(" algorithms estimated, now ")) << process.err();
    EXPECT_NE(process.err().find("weft: all_reduce of 1 MiB among 256 ranks: "), std::string::npos) << process.err();
    expect_prompt_end(process, SIGTERM);
}

TEST(Stop, AnEmptyPipeIsLeft)
{
    const Fixtures files;
    ASSERT_EQ(::mkfifo(files.path("pipe").c_str(), 0600), 0);
    Process process({"check", files.path("pipe")});
    ASSERT_TRUE(process.wait_for_handler(SIGINT));
    ::usleep(100'000);  // on to the pipe
    expect_prompt_end(process, SIGINT);
}

TEST(Stop, TimeUpToALimitIsLeftWithWhatThereIs)
{
    const Fixtures files;
    Process process({"run", "examples/dgx_h100/system.yaml", "--bytes", "4GiB", "--no-data", "--until", "1s", "--json",
        files.path("r.json")});
    ASSERT_TRUE(process.wait_for_err("simulated ")) << process.err();
    const auto sent = std::chrono::steady_clock::now();
    process.send(SIGTERM);
    EXPECT_EQ(process.wait().code, 130);
    EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(1));
    EXPECT_EQ(json::parse(files.read("r.json"))["stop"], "interrupted");
}

// A second of computation is 10^6 windows in which nothing happens: they take no time, and make no rows.
TEST(Stop, EmptyWindowsAreLeft)
{
    using namespace weft::chakra::testing;
    const Fixtures files;
    const Folder traces;
    const std::string prefix = traces.write_set({{comp(1, 1'000'000), NodeText(send(2, 1, 6, 256)).data({1})},
        {comp(1, 1'000'000), NodeText(recv(2, 0, 6, 256)).data({1})}});
    for (const char* parts : {"1", "2"}) {
        const auto begun = std::chrono::steady_clock::now();
        const Outcome run = call({"run", files.pair(), "--trace", prefix, "--series", files.path("s.csv"), "--window",
            "1us", "--partitions", parts, "--json", files.path("r.json")});
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
        EXPECT_GT(json::parse(files.read("r.json"))["simulated_ps"], 1'000'000'000'000);
        const std::string series = files.read("s.csv");
        EXPECT_NE(series.find("\n1000000000000,1000000,"), std::string::npos) << series;
        EXPECT_LT(std::count(series.begin(), series.end(), '\n'), 20);
    }
}

}  // namespace stop_test
