// A run in parts gives the bytes of the run as a whole, for any number of parts and any order of running them.
#include <gtest/gtest.h>

#include "testbenches/parallel/over_processes.h"
#include "testbenches/parallel/same_bytes.h"

namespace parts_test {

using namespace weft;
using namespace weft::testing;

TEST(Parts, EightGpusBehindFourSwitches)
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", "ring", "16384");
    setup.sets = {"engine.channels=4"};
    expect_same(setup, {2, 3, 8}, "ring");
    setup.lines = collective_lines("all_reduce", "direct", "20000");
    setup.options.data_on = false;
    expect_same(setup, {2, 8}, "direct without data");
}

// Links of two lengths: parts are pods, or smaller than pods.
TEST(Parts, PodsWithTwoLevelsOfSwitches)
{
    RunSetup setup;
    setup.document = pods_document(3, 3, 2, 40, 250);
    setup.lines = collective_lines("all_to_all", "direct", "36000");
    setup.sets = {"link.request_credits=6", "engine.channels=4"};
    expect_same(setup, {2, 3, 5}, "pods");
}

// Wide transactions cross with their tails, and credits for all their lines come back.
TEST(Parts, WideTransactions)
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_reduce", "ring", "65536");
    setup.sets = {"engine.grain=256 B", "engine.channels=4"};
    expect_same(setup, {2, 8}, "ring of 256 B");
    setup.document = pods_document(3, 3, 2, 40, 250);
    setup.lines = collective_lines("all_to_all", "direct", "73728");
    setup.sets = {"engine.grain=512 B", "link.request_credits=24", "link.response_credits=16", "engine.channels=4"};
    setup.options.data_on = false;
    expect_same(setup, {2, 3, 5}, "pods of 512 B");
}

using WideProcesses = OverProcesses;

TEST_F(WideProcesses, GiveTheBytesOfOne)
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = collective_lines("all_gather", "direct", "131072");
    setup.sets = {"engine.grain=512 B", "engine.channels=4"};
    expect_same_over({2}, setup, "512 B");
}

// Buffers that wait for each other in a circle through all parts.
TEST(Parts, ADeadlockOfTheFabricIsTheSame)
{
    RunSetup setup;
    setup.document = example("switch_ring");
    setup.lines = collective_lines("all_to_all", "direct", "393216");
    setup.sets = {"routing.cycles=allow", "link.request_credits=1", "link.response_credits=1"};
    EXPECT_NE(bytes_of(setup, {}).find("\"stop\": \"deadlock\""), std::string::npos);
    expect_same(setup, {2, 3}, "ring of switches");
}

TEST(Parts, RefuseWhatCannotBeCut)
{
    RunSetup setup;
    setup.document = star_document(4);
    setup.lines = collective_lines("all_reduce", "ring", "4096");
    EXPECT_EQ(refusal_of(setup, 4), "not refused");
    const auto with = [&setup](const std::string& set) { return refusal_of(setup.with(set), 2); };
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(
        has(refusal_of(setup, 5), "5 parts, but the run has 4 groups of GPUs that can be apart; expected from 1 to 4"))
        << refusal_of(setup, 5);
    EXPECT_TRUE(
        has(with("link.retry=timeout"), "(b.0.xpu.0~b.0.sw.0 cannot be cut: link.retry, whose packets refer to "))
        << with("link.retry=timeout");
    EXPECT_TRUE(has(with("link.pool_credits=8"),
        "1 group of GPUs that can be apart (b.0.xpu.0~b.0.sw.0 cannot be cut: link.pool_credits"))
        << with("link.pool_credits=8");
    EXPECT_TRUE(has(with("link.credit_bytes=8"), "cannot be cut: link.credit_bytes")) << with("link.credit_bytes=8");
    RunSetup other = setup;
    other.options.check_protocol = true;
    EXPECT_TRUE(has(refusal_of(other, 2), "--partitions with --check-protocol")) << refusal_of(other, 2);
}

}  // namespace parts_test
