// The examples of this repository are what they say.
#include <gtest/gtest.h>

#include "testbenches/config/support.h"

namespace weft::examples_test {
namespace {

ResolvedSystem example(const char* name)
{
    return load_system(read_system_file(std::string(WEFT_SOURCE_DIR) + "/examples/" + name + "/system.yaml"));
}

TEST(Examples, DgxH100)
{
    const ResolvedSystem system = example("dgx_h100");
    EXPECT_EQ(system.endpoints().size(), 8U);
    EXPECT_EQ(explained(system, "dgx.0.xpu.7~dgx.0.nvsw.3", "link.bandwidth").substr(0, 10), "112.5 GB/s");
    EXPECT_EQ(system.workload.bytes, 1U << 20);
}

TEST(Examples, MeshMi300x)
{
    const ResolvedSystem system = example("mesh_mi300x");
    EXPECT_EQ(system.profile(0), "mi300x");
    EXPECT_EQ(system.graph().edge_count(), 28U);
    EXPECT_EQ(system.link(0).bandwidth, 64'000'000'000U);
}

TEST(Examples, TwoHosts)
{
    const ResolvedSystem system = example("two_hosts");
    EXPECT_EQ(system.endpoints().size(), 4U);
    const NodeId card = *system.graph().find("host.1.nic.1");
    EXPECT_EQ(system.switch_of(card).message, 512U << 10);
    EXPECT_GT(system.switch_of(card).message_overhead, 0U);
    EXPECT_EQ(system.switch_of(*system.graph().find("leaf.0.asic.0")).message, 0U);
}

TEST(Examples, ClosOfEight)
{
    const ResolvedSystem system = example("clos_8");
    EXPECT_EQ(system.endpoints().size(), 8U);
    // 8 x 1 in the servers, 7 x 5 in the switches, 8 + 12 between them.
    EXPECT_EQ(system.graph().edge_count(), 63U);
    EXPECT_EQ(explained(system, "host.7.nic.0~leaf.3.port.1", "link.bandwidth").substr(0, 9), "12.5 GB/s");
    EXPECT_EQ(explained(system, "leaf.3.port.4~spine.2.port.3", "link.bandwidth").substr(0, 7), "50 GB/s");
}

TEST(Examples, FatTree)
{
    const ResolvedSystem system = example("fat_tree_32");
    EXPECT_EQ(system.endpoints().size(), 64U);
    // 32 x 3 in the servers, 12 x 8 in the switches, 32 + 32 between them.
    EXPECT_EQ(system.graph().edge_count(), 256U);
    EXPECT_EQ(system.graph()
                  .find_edge(*system.graph().find("host.5.nic.0"), *system.graph().find("leaf.1.port.1"))
                  .has_value(),
        true);
    EXPECT_EQ(system.graph()
                  .find_edge(*system.graph().find("leaf.6.port.5"), *system.graph().find("spine.1.port.6"))
                  .has_value(),
        true);
    EXPECT_EQ(explained(system, "host.31.nic.0", "switch.latency").substr(0, 6), "200 ns");
    EXPECT_EQ(explained(system, "leaf.0.asic.0", "switch.latency").substr(0, 6), "250 ns");
}

TEST(Examples, ReplayFleet)
{
    const ResolvedSystem system = example("replay_fleet");
    EXPECT_EQ(system.endpoints().size(), 260U);
    EXPECT_EQ(system.model(system.endpoints()[3]), "gpu");
    EXPECT_EQ(system.traffic(system.endpoints()[3]), "");
    EXPECT_EQ(system.model(system.endpoints()[4]), "replay");
    EXPECT_EQ(system.traffic(system.endpoints()[4]),
        std::string(WEFT_SOURCE_DIR) + "/examples/replay_fleet/neighbours.csv");
    EXPECT_EQ(explained(system, "host.0.xpu.0~host.0.nvsw.0", "link.bandwidth").substr(0, 8), "450 GB/s");
}

TEST(Examples, SwitchRing)
{
    const ResolvedSystem system = example("switch_ring");
    EXPECT_EQ(system.endpoints().size(), 6U);
    EXPECT_EQ(system.graph().edge_count(), 12U);
    EXPECT_EQ(system.link(0).latency, 70'000U);
}

}  // namespace
}  // namespace weft::examples_test
