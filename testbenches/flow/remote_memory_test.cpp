// Memory nodes of traces at flow fidelity in the memory of a pool, against formulas and lines.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "sc_models/memory/hbm_timing.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/pools_document.h"

namespace remote_memory_test {

using namespace weft;
using namespace weft::testing;
using chakra::testing::NodeText;

namespace {

using Sets = std::vector<std::string>;

const std::string document = pools_document(1);

// One node of rank 0.
struct Access {
    explicit Access(std::int64_t bytes, bool write = false, Sets sets = {})
    {
        NodeText node(1, write ? 3 : 2, "m");
        node.integer("tensor_size", bytes);
        setup.document = document;
        setup.lines = "profile: generic\n" +
            trace_lines(folder.write_set({{node}, {chakra::testing::comp(1, 1).integer("is_cpu_op", 0)}}));
        setup.sets = {"engine.memory_nodes=remote", "hbm.refresh=none"};
        setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
        setup.options.progress = false;
    }
    // When rank 0 has finished.
    std::uint64_t time(bool flow) const
    {
        const auto finish = [&] {
            const RunResult result = flow ? run_flow(resolve_setup(setup), setup.options) : run_here(setup);
            Time end = 0;
            for (const RankResult& rank : result.ranks)
                if (rank.rank == 0) end = rank.finish_ps;
            return std::to_string(end);
        };
        return std::stoull("0" + in_timed_child(finish, 60));
    }
    std::uint64_t flow() const { return time(true); }
    std::uint64_t line() const { return time(false); }

    chakra::testing::Folder folder;
    RunSetup setup;
};

// From an accelerator to the pool over the switch, or back, for so much payload.
std::uint64_t path(const ResolvedSystem& system, std::uint64_t payload)
{
    const Graph& graph = system.graph();
    const NodeId middle = *graph.find("box.0.sw.0");
    std::uint64_t time = system.switch_of(middle).latency;
    for (const char* end : {"box.0.xpu.0", "box.0.pool.0"}) {
        const LinkSpec& link = system.link(*graph.find_edge(*graph.find(end), middle));
        const std::uint64_t bytes = link.packet_overhead + link.header + payload;
        time += bytes * 1'000'000'000'000 / link.bandwidth + link.latency;
    }
    return time;
}

// docs/systems.md, Memories: figures of the rank around those of the pool.
std::uint64_t expected(const Access& access, bool write)
{
    const ResolvedSystem system = resolve_setup(access.setup);
    const GpuSpec& rank = system.gpu(*system.graph().find("box.0.xpu.0"));
    const NodeId node = *system.graph().find("box.0.pool.0");
    const GpuSpec& pool = system.gpu(node);
    return rank.launch_latency + rank.unit_to_port + path(system, 0) + pool.port_to_l2 + system.l2(node).latency +
        (write ? 0 : idle_read(system.hbm(node))) + pool.l2_to_port + path(system, 64) + rank.port_to_unit;
}

}  // namespace

TEST(RemoteMemory, OneLineTakesTheLatenciesOfThePool)
{
    const std::vector<Sets> cases{{}, {"box.0.pool.0.gpu.port_to_l2=31 ns", "box.0.pool.0.gpu.l2_to_port=17 ns"},
        {"box.0.pool.0.l2.latency=1 us"}, {"box.0.pool.0.hbm.request_latency=1 us", "box.0.pool.0.hbm.t_rcd=50 ns"},
        {"box.0.xpu.?.l2.latency=1 us", "box.0.xpu.?.gpu.port_to_l2=1 us", "box.0.xpu.?.hbm.t_rcd=50 ns"}};
    for (const Sets& sets : cases)
        for (const bool write : {false, true}) {
            const Access access(64, write, sets);
            const std::string what = (write ? "store " : "load ") + (sets.empty() ? "" : sets.front());
            EXPECT_EQ(access.flow(), expected(access, write)) << what;
            EXPECT_EQ(access.flow(), access.line()) << what;
        }
}

// Behind the first line, what it passes that is slowest: link, L2, DRAM.
TEST(RemoteMemory, ManyLinesTakeWhatTheSlowestPartGives)
{
    constexpr std::int64_t bytes = 1 << 18;
    const std::uint64_t first = Access(64).flow();
    for (const char* slow : {"box.0.pool.0.l2.bandwidth=20 GB/s", "box.0.pool.0.hbm.bandwidth=20 GB/s"}) {
        const std::uint64_t rest = (bytes - 64) * 1000 / 20;
        const std::uint64_t latency = Access(64, false, {slow}).flow();
        EXPECT_EQ(Access(bytes, false, {slow}).flow(), latency + rest) << slow;
        EXPECT_NEAR(static_cast<double>(Access(bytes, false, {slow}).line()), static_cast<double>(latency + rest),
            0.08 * static_cast<double>(rest))
            << slow;
    }
    const double wire = static_cast<double>(Access(bytes).flow() - first);
    EXPECT_NEAR(wire, static_cast<double>(Access(bytes).line() - first), 0.01 * wire);
    EXPECT_GT(wire, bytes * 1000 / 50);
    // What is stored stays in the pool's L2, which has room for it.
    EXPECT_EQ(Access(bytes, true, {"box.0.pool.0.l2.bandwidth=20 GB/s"}).flow(),
        Access(64, true).flow() + (bytes - 64) * 1000 / 20);
    EXPECT_EQ(Access(bytes, true, {"box.0.pool.0.hbm.bandwidth=20 GB/s"}).flow(), Access(bytes, true).flow());
}

// One thread has so many loads in flight, each for a round trip.
TEST(RemoteMemory, AThreadIsNoFasterThanItsLoadsInFlight)
{
    const Sets one{"engine.channels=1"};
    const auto flow = static_cast<double>(Access(1 << 20, false, one).flow());
    EXPECT_GT(flow, 2.5 * static_cast<double>(Access(1 << 20).flow()));
    EXPECT_NEAR(flow / static_cast<double>(Access(1 << 20, false, one).line()), 1, 0.16);
}

}  // namespace remote_memory_test
