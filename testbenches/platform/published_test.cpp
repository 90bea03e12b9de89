// What is published of small and medium sized collectives, beside what comes out here: docs/validation.md.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

namespace published_test {

using namespace weft;
using namespace weft::testing;

namespace {

constexpr double ps_in_us = 1e6;

double us(const RunSetup& setup)
{
    const Json result = run(setup, 300);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 300);
    return result.value("simulated_ps", 0.0) / ps_in_us;
}

// Ring all-reduce of 1 MiB over eight GPUs under a Clos network: 14 steps of 128 KiB at 100 Gb/s.
constexpr double clos_published = 165.98;
constexpr double clos_payload = 14 * 131'072 / 12'500.0;

RunSetup clos(const std::string& document, const std::vector<std::string>& sets)
{
    RunSetup setup;
    setup.document = document;
    setup.lines = collective_lines("all_reduce", "ring", "1 MiB");
    setup.sets = sets;
    setup.options.data_on = false;
    return setup;
}

// The kernels of TensorRT-LLM on H100: blocks of 512 threads that load 16 B of every copy each, one after the other.
double staged(unsigned ranks, bool two_shots, const std::string& bytes, const std::string& unroll = "1")
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\n" + collective_lines("all_reduce", two_shots ? "two_shot_staged" : "one_shot_staged", bytes,
        "ranks: " + std::to_string(ranks));
    setup.sets = {"engine.unroll=" + unroll, "engine.channels=" + std::string(two_shots ? "32" : "36"),
        "engine.channel_bytes=" + std::to_string(two_shots ? 8 * ranks : 8) + " KiB"};
    setup.options.data_on = false;
    return us(setup);
}

}  // namespace

// The library changes at 1 MiB for four, vLLM at 512 KiB; for eight at 512 and at 256 KiB.
TEST(SmallAllReduce, CrossesWhereTheLibrariesChangeTheirKernel)
{
    EXPECT_LT(staged(4, false, "512 KiB"), staged(4, true, "512 KiB"));
    EXPECT_GT(staged(4, false, "1 MiB"), staged(4, true, "1 MiB"));
    EXPECT_LT(staged(8, false, "256 KiB"), staged(8, true, "256 KiB"));
    EXPECT_GT(staged(8, false, "512 KiB"), staged(8, true, "512 KiB"));
}

TEST(SmallAllReduce, WithinAFifthOfTheMeasuredTimes)
{
    constexpr double launch = 1.5;  // the one constant of all three tables
    EXPECT_NEAR((staged(2, false, "2 KiB") + launch) / 3.7, 1, 0.2);
    EXPECT_NEAR((staged(2, false, "1 MiB") + launch) / 7.9, 1, 0.2);
    EXPECT_NEAR((staged(4, false, "128 KiB") + launch) / 4.8, 1, 0.2);
    EXPECT_NEAR((staged(4, true, "1 MiB") + launch) / 13.9, 1, 0.2);
    EXPECT_NEAR((staged(8, false, "16 KiB") + launch) / 5.7, 1, 0.2);
    EXPECT_NEAR((staged(8, true, "1 MiB") + launch) / 16.7, 1, 0.2);
}

// Seven loads of peers' sums one after the other, or at once; then the wire takes a little of what that saves.
TEST(SmallAllReduce, LoadsInFlightAreWhatTheSecondShotWaitsFor)
{
    const double saved = staged(8, true, "1 MiB") - staged(8, true, "1 MiB", "8");
    EXPECT_GT(saved, 0.8 * 7 * 0.826);
    EXPECT_LT(saved, 7 * 0.826);
}

TEST(ClosRing, WithinATenthOfThePublishedTime)
{
    EXPECT_NEAR(us(clos(example("clos_8"), {})) / clos_published, 1, 0.1);
}

// The same network with two accelerators and two cards at each server: a flow has one of the cards.
TEST(ClosRing, InTheSharedDocumentToo)
{
    if (!has_shared()) GTEST_SKIP() << "no conformance data";
    EXPECT_NEAR(us(clos(shared_document("closfabric"), {"routing.spread=pairs"})) / clos_published, 1, 0.1);
}

// Taken away one after the other, until the payload is left on the wire.
TEST(ClosRing, EveryPartOfTheDifferenceIsAParameter)
{
    const std::vector<std::vector<std::string>> parts = {
        {"*.link.request_credits=512", "*.link.response_credits=512"},
        {"*.link.latency=1ps"},
        {"*.switch.latency=1ps"},
        {"*.link.packet_overhead=0", "*.link.header=0"},
        {"*.switch.message_overhead=1ps", "*.switch.message_interval=1ps"}};
    std::vector<std::string> sets;
    double before = us(clos(example("clos_8"), sets));
    for (const std::vector<std::string>& part : parts) {
        sets.insert(sets.end(), part.begin(), part.end());
        const double now = us(clos(example("clos_8"), sets));
        EXPECT_LT(now, before) << part.front();
        before = now;
    }
    EXPECT_GT(before, clos_payload);
    EXPECT_LT(before, clos_payload * 1.01);
}

}  // namespace published_test
