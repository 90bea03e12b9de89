// Custom collectives as Chakra traces: the shared samples, and what is wrong with hand-made ones.
#include <filesystem>

#include <gtest/gtest.h>

#include "collectives/plans/chakra_plan.h"
#include "collectives/plans/longest_chain.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/plans/fixtures.h"

namespace chakra_plan_test {

using namespace weft;
using namespace weft::plans_test;

namespace {

struct Sample {
    const char* name;
    std::uint32_t ranks;
    std::uint64_t sends;      // messages of all ranks
    std::uint64_t transfers;  // dependent ones, as of the plan that the traces were made of
    std::uint64_t bytes;      // of the largest message
};

}  // namespace

TEST(ChakraPlan, SharedSamples)
{
    const std::string folder = std::string(WEFT_SHARED_DIR) + "/chakra/custom_collective/";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no shared traces";
    const Sample samples[] = {
        {"allreduce_ring_4r", 4, 24, 6, 262144},
        {"allgather_ring_4r_2ch", 4, 12, 3, 262144},
        {"alltoall_allpairs_4r", 4, 12, 1, 262144},
        {"allreduce_allpairs_4r", 4, 24, 2, 262144},
        {"allreduce_recursive_hd_8r", 8, 48, 6, 524288},
    };
    for (const Sample& sample : samples) {
        const Plan plan = read_plan(folder + sample.name + "/" + sample.name);
        EXPECT_EQ(plan.format, "chakra");
        EXPECT_EQ(problems_of(plan), "") << sample.name;
        EXPECT_EQ(plan.schedule.size(), sample.ranks) << sample.name;
        EXPECT_EQ(plan.moved, sample.sends) << sample.name;
        EXPECT_EQ(plan.bytes, sample.bytes) << sample.name;
        EXPECT_EQ(longest_chain(plan.schedule).size(), sample.transfers) << sample.name;
    }
}

namespace {

using chakra::testing::NodeText;

constexpr unsigned comp = 4;
constexpr unsigned send = 5;
constexpr unsigned recv = 6;

NodeText message(std::uint64_t id, unsigned type, std::uint32_t peer, std::int64_t bytes, std::int64_t tag = 0)
{
    NodeText node(id, type);
    node.integer(type == send ? "comm_dst" : "comm_src", peer).integer("comm_size", bytes).integer("comm_tag", tag);
    return node;
}

// Rank 0 and rank 1 of one collective.
std::string problems(const std::vector<std::string>& first, const std::vector<std::string>& second)
{
    const chakra::testing::Folder folder;
    const std::string prefix = folder.path();
    std::string out = problems_of(read_chakra_plan(folder.write_set({first, second})));
    for (std::size_t at = out.find(prefix); at != std::string::npos; at = out.find(prefix))
        out.erase(at, prefix.size());
    return out;
}

}  // namespace

TEST(ChakraPlan, ATermIsAddedToWhatArrived)
{
    const chakra::testing::Folder folder;
    NodeText sum(2, comp);
    sum.data({1});
    NodeText forward = message(3, send, 0, 128);
    forward.data({2});
    const Plan plan = read_plan(folder.write_set(
        {{message(1, send, 1, 128), message(2, recv, 1, 128)}, {message(1, recv, 0, 128), sum, forward}}));
    EXPECT_EQ(problems_of(plan), "");
    EXPECT_EQ(plan.bytes, 128u);
    const std::vector<Step>& steps = plan.schedule.ranks[1].threads[0].steps;
    ASSERT_EQ(steps.size(), 4u);  // wait, sum, send, signal
    EXPECT_EQ(steps[1].sources.size(), 2u);
    EXPECT_EQ(steps[2].sources[0].buffer, Buffer::scratch);
}

TEST(ChakraPlan, DefectsAreNamed)
{
    EXPECT_EQ(problems({message(1, send, 1, 64)}, {}),
        "t.0.et: 1 messages to rank 1 with tag 0 are sent, but 0 are received; expected the same number\n");
    EXPECT_EQ(problems({}, {message(1, recv, 0, 64)}),
        "t.1.et: node 1: no rank sends message 0 of rank 0 with tag 0; expected a SEND for every RECV\n");
    EXPECT_EQ(problems({message(1, send, 1, 64)}, {message(1, recv, 0, 128)}),
        "t.1.et: node 1: receives 128 bytes of 64; expected equal sizes\n");
    EXPECT_EQ(problems({message(1, send, 1, 64, 3)}, {message(1, recv, 0, 64, 4)}),
        "t.1.et: node 1: no rank sends message 0 of rank 0 with tag 4; expected a SEND for every RECV\n"
        "t.0.et: 1 messages to rank 1 with tag 3 are sent, but 0 are received; expected the same number\n");
    EXPECT_EQ(problems({message(1, send, 7, 64)}, {}),
        "t.0.et: node 1: peer 7 of 2; expected another rank in comm_dst\n");
    EXPECT_EQ(problems({NodeText(1, send).integer("comm_dst", 1)}, {}),
        "t.0.et: node 1: no comm_size; expected a size in bytes\n");
    EXPECT_EQ(problems({NodeText(1, 2)}, {}),
        "t.0.et: node 1: MEM_LOAD_NODE, which a custom collective never finishes; expected SEND, RECV or COMP\n");
    EXPECT_EQ(problems({NodeText(1, comp).data({9})}, {}),
        "t.0.et: node 1: depends on node 9, which does not exist; expected the id of a node\n");
    EXPECT_EQ(problems({NodeText(1, comp).data({2}), NodeText(2, comp).data({1})}, {}),
        "t.0.et: node 1: waits for itself through its parents; expected parents without a cycle\n");
}

TEST(ChakraPlan, ADeadlockAcrossRanksIsFound)
{
    NodeText first = message(2, send, 1, 64);
    first.data({1});
    NodeText second = message(2, send, 0, 64);
    second.data({1});
    const std::string found = problems({message(1, recv, 1, 64), first}, {message(1, recv, 0, 64), second});
    EXPECT_NE(found.find("rank 0 thread 0 step 0 (wait) never runs"), std::string::npos) << found;
}

}  // namespace chakra_plan_test
