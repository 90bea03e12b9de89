// What is published of small and medium sized collectives, beside what comes out here: docs/validation.md.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

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

}  // namespace

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
