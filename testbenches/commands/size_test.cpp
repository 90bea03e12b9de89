// What a run says of its size before it begins: estimates near what is measured, refusals with a way out.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sys/resource.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "platform/workload/machine_memory.h"
#include "testbenches/process/fixtures.h"
#include "testbenches/process/process.h"
#include "testbenches/support/thorough.h"

namespace size_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;  // shadow memory is no part of the estimate
#else
constexpr bool sanitized = false;
#endif

const std::string box = "examples/dgx_h100/system.yaml";

// So many accelerators behind four switches.
std::string rack(const Fixtures& files, unsigned count)
{
    return files.write("rack.yaml",
        "name: rack\ndevices:\n- name: box\n  components:\n"
        "  - {name: xpu, choice: xpu, count: " +
            std::to_string(count) +
            ", description: accelerator}\n"
            "  - {name: sw, choice: switch, count: 4, description: switch}\n"
            "  links:\n  - {name: wire, physical: {bandwidth: {gigabytes_per_second: 50}, latency: {ns: 80}}}\n"
            "  edges:\n  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}\n"
            "instances:\n- {name: host, device: box, count: 1}\n");
}

// The estimate over the measured peak of the run. One for each test: the peak is that of all children.
double estimate_over_peak(const Fixtures& files, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--quiet", "--json", files.path("r.json")});
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (outcome.code != 0) return 0;
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const double estimate = json::parse(files.read("r.json"))["estimate"]["memory_bytes"];
    const double ratio = estimate / (static_cast<double>(usage.ru_maxrss) * 1024);
    ::testing::Test::RecordProperty("estimate_over_peak", std::to_string(ratio));
    return ratio;
}

void expect_within(double ratio, double margin)
{
    if (sanitized) GTEST_SKIP() << "sanitizers take memory of their own";
    EXPECT_GT(ratio, 1 - margin);
    EXPECT_LT(ratio, 1 + margin);
}

// So many accelerators, 64 KiB, no data: what is counted is all there is.
void expect_counted(unsigned count, const std::string& algorithm)
{
    const Fixtures files;
    expect_within(estimate_over_peak(files,
                      {"--infra", rack(files, count), "--profile", "h100", "--collective", "all_reduce", "--algorithm",
                          algorithm, "--bytes", "64KiB", "--no-data"}),
        0.15);
}

}  // namespace

TEST(Size, OneBoxWithDataIsNearItsEstimate)
{
    const Fixtures files;
    expect_within(estimate_over_peak(files, {box, "--bytes", "512KiB"}), 0.5);
}

TEST(Size, SixteenGpusAndTheirSwitchesAreWithinAPartOfTheirEstimate) { expect_counted(16, "nvls"); }
TEST(Size, ManyGpusAndTheirSwitchesAreWithinAPartOfTheirEstimate)
{
    expect_counted(static_cast<unsigned>(weft::test::by_default(32, 64)), "nvls");
}
TEST(Size, ATreeOfSixteenIsWithinAPartOfItsEstimate) { expect_counted(16, "tree"); }
TEST(Size, ALargerTreeIsWithinAPartOfItsEstimate)
{
    expect_counted(static_cast<unsigned>(weft::test::by_default(24, 32)), "tree");
}

TEST(Size, LargeCachesAreNearTheirEstimate)
{
    const Fixtures files;
    expect_within(estimate_over_peak(files,
                      {"--infra", rack(files, 16), "--profile", "mi300x", "--collective", "all_gather", "--algorithm",
                          "direct", "--bytes", "256KiB"}),
        0.5);
}

TEST(Size, ARunThatCannotFitIsRefusedWithWaysOut)
{
    const Outcome outcome = call({"run", box, "--bytes", "64MiB", "--memory-limit", "500MB"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    for (const char* part : {"weft: this run takes about ", " of memory (8 GPUs ", "contents of memories ",
             ", but --memory-limit allows 0.5 GB", "; expected one of --no-data (", "--bytes ", "--ranks ",
             "or a higher --memory-limit"})
        EXPECT_NE(outcome.err.find(part), std::string::npos) << part << " in " << outcome.err;
    // The first way out is one.
    EXPECT_EQ(call({"run", box, "--bytes", "64KiB", "--no-data", "--memory-limit", "500MB"}).code, 0);
}

// What GPUs ask for, data and signals, not what switches make of it. In few channels polls of flags are few, which nobody knows before.
TEST(Size, TransactionsOfStepsInSwitchesAreThoseOfTheRun)
{
    const Fixtures files;
    const std::string system = rack(files, 5);
    for (const auto& [collective, algorithm] : std::vector<std::pair<std::string, std::string>>{{"all_reduce", "nvls"},
             {"all_reduce", "push_reduce"}, {"all_gather", "multicast"}, {"reduce", "load_reduce"}}) {
        const Outcome outcome =
            call({"run", "--infra", system, "--profile", "generic", "--collective", collective, "--algorithm",
                algorithm, "--bytes", "256000", "--no-data", "--set", "engine.channels=2", "--quiet", "--json", "-"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const json result = json::parse(outcome.out);
        const double simulated = result["lines"];
        EXPECT_NEAR(result["estimate"]["transactions"].get<double>() / simulated, 1, 0.2) << algorithm;
    }
}

TEST(Size, ManyRanksAreRefusedBeforeTheirScheduleIsMade)
{
    const Fixtures files;
    const Outcome outcome = call({"run", "--infra", rack(files, 576), "--profile", "h100", "--collective", "all_reduce",
        "--algorithm", "nvls", "--bytes", "1MiB", "--memory-limit", "5GB"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("(576 GPUs "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("--ranks "), std::string::npos) << outcome.err;
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    EXPECT_LT(usage.ru_maxrss, sanitized ? 4000 * 1024 : 600 * 1024);
}

// 10.6 million signals are in flight at once: more than what the GPUs, programs and the schedule take together.
TEST(Size, SignalsOfAllPairsCount)
{
    const Fixtures files;
    const Outcome outcome = call({"run", "--infra", rack(files, 576), "--profile", "h100", "--collective", "all_reduce",
        "--algorithm", "nvls", "--bytes", "64KiB", "--no-data", "--memory-limit", "3GB"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(" but --memory-limit allows 3 GB"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("schedule 0.3"), std::string::npos) << outcome.err;
}

// `auto` says at once why it cannot price so many ranks, and what to do.
TEST(Size, AutoIsRefusedAtOnceWhereItCannotPrice)
{
    for (const unsigned ranks : {576U, 1024U}) {
        if (ranks == 1024 && !weft::test::thorough()) continue;
        const Fixtures files;
        const Outcome outcome = call({"run", "--infra", rack(files, ranks), "--profile", "h100", "--collective",
            "all_reduce", "--algorithm", "auto", "--bytes", "1MiB"});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_EQ(outcome.err,
            "weft: auto plays all transfers of every algorithm on the paths of all pairs of ranks, for up to 256 "
            "ranks, "
            "and this run has " +
                std::to_string(ranks) +
                "; expected an algorithm by its name; with --ranks 256 auto says which it takes there\n");
    }
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    EXPECT_LT(usage.ru_maxrss, sanitized ? 2000 * 1024 : 400 * 1024);
}

TEST(Size, ALargeRunIsAnnouncedOnStderrAlone)
{
    // A quarter of 120 MB is less than eight GPUs take.
    const Outcome outcome = call({"run", box, "--bytes", "64KiB", "--memory-limit", "120MB", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.compare(0, 28, "weft: this run takes about 0"), 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["stop"], "finished");
    EXPECT_EQ(call({"run", box, "--bytes", "64KiB", "--memory-limit", "120MB", "--quiet"}).err, "");
    EXPECT_EQ(call({"run", box, "--bytes", "64KiB", "--memory-limit", "40GB"}).err, "");
}

// The rows of 1 ns take 0.3 GB.
TEST(Size, LinksOverTimeStopAtTheLimit)
{
    const Fixtures files;
    const std::string series = files.path("series.csv");
    const Outcome outcome = call({"run", box, "--bytes", "16KiB", "--no-data", "--memory-limit", "120MB", "--series",
        series, "--window", "1ns", "--quiet"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err.find("weft: links over time take more than 0.0"), 0U) << outcome.err;
    EXPECT_NE(outcome.err.find(" GB of memory, which the run leaves, by "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" in windows of 1 ns; expected a longer --window\n"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(series));
    EXPECT_EQ(call({"run", box, "--bytes", "16KiB", "--no-data", "--memory-limit", "120MB", "--series", series}).code,
        0);
}

// Minutes that a run is said to take.
double minutes_of(const std::string& grain)
{
    Process process({"run", box, "--bytes", "2GiB", "--no-data", "--grain", grain});
    EXPECT_TRUE(process.wait_for_err(" M transactions")) << process.err();
    const std::string text = process.err();
    const std::size_t unit = text.find(" min for ");
    EXPECT_NE(unit, std::string::npos) << text;
    process.send(SIGINT);
    EXPECT_EQ(process.wait().code, 130);
    return std::stod(text.substr(text.rfind(' ', unit - 1) + 1));
}

TEST(Size, ALongRunIsAnnouncedWithItsTime)
{
    const double minutes = minutes_of("64B");
    EXPECT_GT(minutes, 10);
    EXPECT_NEAR(minutes_of("512B") / minutes, 1 / 4.5, 0.05);
}

TEST(Size, ALimitIsASize)
{
    for (const std::string value : {"much", "0", "0GB"})
        EXPECT_EQ(call({"run", box, "--memory-limit", value}).err,
            "weft: option '--memory-limit' has the value '" + value + "'; expected a size above 0, such as 16GiB\n");
}

TEST(Size, TheMachineHasMemory)
{
    const weft::MachineMemory memory = weft::machine_memory();
    EXPECT_GT(memory.total, 100u << 20);
    EXPECT_GT(memory.available, 0u);
    EXPECT_LE(memory.available, memory.total);
}

}  // namespace size_test
