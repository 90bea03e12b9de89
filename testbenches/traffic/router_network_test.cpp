#include <gtest/gtest.h>

#include "testbenches/traffic/router_network.h"

using namespace weft;
using namespace weft::testing;

namespace {

// Separate allocation of channels and crossbar, a clock each; a clock through the crossbar; a hop is four cycles.
NetworkOptions mesh_router()
{
    NetworkOptions options;
    options.router.latency = options.router.clock = options.router.traversal = 1'000;
    options.router.vc_stage = 1;
    options.router.queues = static_cast<std::uint64_t>(QueueKind::channel);
    options.router.credit_delay = 3'000;
    options.router.input_speedup = 2;
    return options;
}

}  // namespace

TEST(RouterNetwork, MeshAtALowLoadTakesFourCyclesAHop)
{
    NetworkOptions options = mesh_router();
    options.traffic.load = 0.001;
    options.traffic.duration = 20'000'000;
    const NetworkResult result = run_network(mesh(8), options);
    EXPECT_EQ(result.problems, 0u);
    EXPECT_EQ(result.left, 0u);
    // Collisions are rare at this load; the shortest way is one router.
    EXPECT_NEAR(result.cycles, 6 + 4 * (result.routers_passed - 1), 0.15);
}
