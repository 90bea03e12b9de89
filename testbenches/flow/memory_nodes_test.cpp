// Memory nodes of traces at flow fidelity, on the rank's own memory, against lines.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"

namespace memory_nodes_test {

using namespace weft;
using namespace weft::testing;
using chakra::testing::NodeText;

namespace {

constexpr unsigned mem_load = 2;
constexpr unsigned mem_store = 3;

// One behind the other, by one rank.
double taken(const std::vector<std::int64_t>& sizes, unsigned type, const std::string& bandwidth, bool flow)
{
    const chakra::testing::Folder folder;
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        NodeText node(i + 1, type, "memory");
        node.integer("tensor_size", sizes[i]);
        if (i > 0) node.data({i});
        nodes.push_back(node);
    }
    const std::string prefix = folder.write_set({nodes, {chakra::testing::comp(1, 1).integer("is_cpu_op", 0)}});
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = "profile: generic\nworkload: {trace: \"" + prefix + "\"}\n";
    setup.sets = {"hbm.refresh=none", "hbm.bandwidth=" + bandwidth};
    setup.options.progress = false;
    return std::stod(in_timed_child(
        [&] {
            const RunResult result = flow ? run_flow(resolve_setup(setup), setup.options) : run_here(setup);
            Time end = 0;
            for (const RankResult& rank : result.ranks)
                if (rank.rank == 0) end = rank.finish_ps;
            return std::to_string(end);
        },
        60));
}

double error_of(const std::vector<std::int64_t>& sizes, unsigned type, const std::string& bandwidth = "3300 GB/s")
{
    return taken(sizes, type, bandwidth, true) / taken(sizes, type, bandwidth, false) - 1;
}

}  // namespace

// A miss and three hits: 783.7 ns on these accelerators, where bytes by their rate alone take 0.2 ns.
TEST(MemoryNodes, SmallOnesHaveTheLatencyOfTheCache)
{
    EXPECT_GT(taken({64, 64, 64, 64}, mem_load, "3300 GB/s", true), 700'000);
    EXPECT_NEAR(error_of({64, 64, 64, 64}, mem_load), 0, 0.01);
    EXPECT_NEAR(error_of({4096}, mem_load), 0, 0.01);
    EXPECT_NEAR(error_of({4096}, mem_store), 0, 0.01);
}

// Many lines wait for registers and places of their units; some 20 % less than by lines, where channels of the memory meet.
TEST(MemoryNodes, LargeLoadsHaveThePaceOfTheirWorkgroups)
{
    EXPECT_NEAR(error_of({1 << 20}, mem_load), 0, 0.25);
    EXPECT_NEAR(error_of({1 << 20}, mem_load, "100 GB/s"), 0, 0.02);
}

// Whole lines that are stored stay in the cache: the rate of the memory does not count.
TEST(MemoryNodes, StoresStayInTheCache)
{
    for (const char* bandwidth : {"3300 GB/s", "100 GB/s"})
        for (const std::int64_t bytes : {65536, 1 << 20})
            EXPECT_NEAR(error_of({bytes}, mem_store, bandwidth), 0, 0.01) << bytes << " at " << bandwidth;
}

}  // namespace memory_nodes_test
