#include "collectives/chakra/node.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace interpretation_test {

using namespace weft::chakra;

TEST(ChakraInterpretation, Names)
{
    EXPECT_EQ(name_of(NodeType::coll), "COMM_COLL_NODE");
    EXPECT_EQ(name_of(static_cast<NodeType>(42)), "42");
    EXPECT_EQ(name_of(CollectiveType::barrier), "BARRIER");
    EXPECT_EQ(name_of(static_cast<CollectiveType>(99)), "99");
}

TEST(ChakraInterpretation, Resources)
{
    const auto resource = [](NodeType type, bool on_cpu) {
        Node node;
        node.type = type;
        node.on_cpu = on_cpu;
        return resource_of(node);
    };
    EXPECT_EQ(resource(NodeType::comp, true), Resource::cpu);
    EXPECT_EQ(resource(NodeType::comp, false), Resource::compute);
    EXPECT_EQ(resource(NodeType::coll, false), Resource::communication);
    EXPECT_EQ(resource(NodeType::coll, true), Resource::cpu);
    EXPECT_EQ(resource(NodeType::mem_load, false), Resource::communication);
    EXPECT_EQ(resource(NodeType::send, false), Resource::communication);
    EXPECT_EQ(resource(NodeType::recv, false), Resource::receive);
    EXPECT_EQ(resource(NodeType::metadata, true), Resource::none);
    EXPECT_EQ(resource(NodeType::invalid, false), Resource::none);
}

TEST(ChakraInterpretation, RecordedTimeIsAtLeastOneNanosecond)
{
    Node node;
    EXPECT_EQ(recorded_time_ps(node), 1000U);
    node.duration_ps = 5000000;
    EXPECT_EQ(recorded_time_ps(node), 5000000U);
}

TEST(ChakraInterpretation, Roofline)
{
    // Memory bound: 1000 B at 100 GB/s take 10 ns whatever the operations.
    EXPECT_EQ(roofline_time_ps(1000, 1000, 1e15, 100e9), 10000U);
    // Compute bound: 1e6 operations at 3e12 a second take 333.3 ns, cut.
    EXPECT_EQ(roofline_time_ps(1000000, 1, 3e12, 1e12), 333333U);
    EXPECT_EQ(roofline_time_ps(1000, 163840, 989e12, 3.35e12), 48907U);
    EXPECT_EQ(roofline_time_ps(1, 1, 989e12, 3.35e12), 1U);
    EXPECT_EQ(roofline_time_ps(1000, 0, 1e12, 1e12), 0U);
    // A copy has no operations: its bytes take their time.
    EXPECT_EQ(roofline_time_ps(0, 1000, 1e12, 1e12), 1000U);
    EXPECT_THROW(roofline_time_ps(~0ULL, 1, 1.0, 1.0), std::overflow_error);
    EXPECT_THROW(roofline_time_ps(1, 1, 0.0, 1.0), std::invalid_argument);
}

TEST(ChakraInterpretation, CollectiveBytes)
{
    EXPECT_EQ(collective_bytes(CollectiveType::all_gather, 10, 4), 40U);
    EXPECT_EQ(collective_bytes(CollectiveType::reduce_scatter, 10, 4), 10U);
    EXPECT_EQ(collective_bytes(CollectiveType::all_reduce, 10, 4), 10U);
    EXPECT_THROW(collective_bytes(CollectiveType::all_gather, ~0ULL, 2), std::overflow_error);
}

}  // namespace interpretation_test
