// Memory nodes of traces at flow fidelity, on the rank's own memory, against lines.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace memory_nodes_test {

using namespace weft;
using namespace weft::testing;
using chakra::testing::NodeText;

namespace {

constexpr unsigned mem_load = 2;
constexpr unsigned mem_store = 3;

// When each of two nodes has ended, one behind the other, on one rank.
std::vector<double> ends(std::int64_t bytes, unsigned type, const std::string& profile,
    const std::vector<std::string>& sets, bool flow)
{
    const chakra::testing::Folder folder;
    const auto after = [&](std::size_t count) {
        std::vector<std::string> nodes;
        for (std::size_t i = 0; i < count; ++i) {
            NodeText node(i + 1, type, "memory");
            node.integer("tensor_size", bytes);
            if (i > 0) node.data({i});
            nodes.push_back(node);
        }
        const std::string prefix = folder.write_set({nodes, {chakra::testing::comp(1, 1).integer("is_cpu_op", 0)}});
        RunSetup setup;
        setup.document = star_document(2);
        setup.lines = "profile: " + profile + "\nworkload: {trace: \"" + prefix + "\"}\n";
        setup.sets = sets;
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
    };
    return {after(1), after(2)};
}

struct Errors {
    double first = 0;  // of a node whose data the caches lack
    double again = 0;  // of one behind it on the same data
};

Errors errors_of(std::int64_t bytes, unsigned type, const std::string& profile = "generic",
    const std::vector<std::string>& sets = {})
{
    const std::vector<double> flow = ends(bytes, type, profile, sets, true);
    const std::vector<double> line = ends(bytes, type, profile, sets, false);
    return {flow[0] / line[0] - 1, (flow[1] - flow[0]) / (line[1] - line[0]) - 1};
}

}  // namespace

TEST(MemoryNodes, SmallOnesHaveTheLatencyOfTheCaches)
{
    for (const char* profile : {"generic", "h100", "mi300x"})
        for (const unsigned type : {mem_load, mem_store}) {
            const Errors errors = errors_of(4096, type, profile);
            EXPECT_NEAR(errors.first, 0, 0.01) << profile << " " << type;
            EXPECT_NEAR(errors.again, 0, 0.01) << profile << " " << type;
        }
}

// Registers, issue slots and the on-die network of the workgroups' units. What HBM gives many streams is less than its rate:
// mi300x, and larger ones, are too fast.
TEST(MemoryNodes, LoadsHaveThePaceOfTheirWorkgroups)
{
    for (const char* profile : {"generic", "h100"})
        for (const std::int64_t bytes : {262144, 1 << 20}) {
            if (!test::thorough() && (bytes > 262144) != (profile[0] == 'h')) continue;  // by default one of each
            const Errors errors = errors_of(bytes, mem_load, profile);
            EXPECT_NEAR(errors.first, 0, 0.03) << profile << " " << bytes;
            EXPECT_NEAR(errors.again, 0, 0.03) << profile << " " << bytes;
        }
    EXPECT_NEAR(errors_of(262144, mem_load, "mi300x").again, 0, 0.03);  // beside the partition of who loads it
    EXPECT_NEAR(errors_of(1 << 20, mem_load, "generic", {"hbm.refresh=none", "hbm.bandwidth=100 GB/s"}).first, 0, 0.02);
}

TEST(MemoryNodes, AUnitIsNoFasterThanItsPlaceOnTheNetwork)
{
    const double fast = ends(1 << 20, mem_load, "h100", {}, true)[0];
    const double slow = ends(1 << 20, mem_load, "h100", {"network.unit_rate=8 GB/s"}, true)[0];
    // 32 KiB for each of 32 workgroups at 8 GB/s.
    EXPECT_GT(slow, 32768 / 8e9 * 1e12);
    EXPECT_LT(slow, 32768 / 8e9 * 1e12 + fast);
    EXPECT_NEAR(errors_of(1 << 20, mem_load, "h100", {"network.unit_rate=8 GB/s"}).first, 0, 0.02);
}

// Whole lines that are stored stay in the cache: the rate of the memory does not count.
TEST(MemoryNodes, StoresStayInTheCache)
{
    for (const char* profile : {"generic", "h100"})
        for (const std::int64_t bytes : {65536, 1 << 20})
            EXPECT_NEAR(errors_of(bytes, mem_store, profile).first, 0, 0.025) << profile << " " << bytes;
    EXPECT_NEAR(errors_of(1 << 20, mem_store, "generic", {"hbm.bandwidth=100 GB/s"}).first, 0, 0.01);
}

// Of one that is larger, what has no room there goes on to memory at its rate, but for what waits on the way: 256 lines of each slice, 128 of
// each channel. The next one finds the L2 full of the lines of the first.
TEST(MemoryNodes, StoresBeyondTheCacheGoToMemory)
{
    const std::vector<std::string> small{"l2.size=1 MiB", "l2.slices=4", "l2.bandwidth=256 GB/s", "hbm.channels=4",
        "hbm.refresh=none", "hbm.bandwidth=128 GB/s", "engine.channels=8"};
    constexpr std::int64_t mib = 1 << 20;
    const std::vector<double> two = ends(2 * mib, mem_store, "generic", small, true);
    const double mib_ps = mib / 64 * 500.0;
    // Workgroups come to the L2 in another order.
    EXPECT_NEAR(ends(3 * mib, mem_store, "generic", small, true)[0] - two[0], mib_ps, 1000);
    const double kept = ends(mib, mem_store, "generic", small, true)[0];
    const double on_the_way = (4 * 256 + 4 * 128) * 500;
    EXPECT_NEAR(two[0] - kept, mib_ps - on_the_way, 0.01 * mib_ps);
    EXPECT_NEAR(two[1] - two[0], 2 * mib_ps, 0.03 * mib_ps);
    for (const std::int64_t bytes : {mib + mib / 8, 2 * mib})
        EXPECT_NEAR(errors_of(bytes, mem_store, "generic", small).first, 0, 0.03) << bytes;
}

// As by lines: what does not fit into hbm.capacity is refused, of a trace at its node.
TEST(MemoryNodes, WhatDoesNotFitIsRefused)
{
    const auto refusal = [](RunSetup setup) {
        setup.document = star_document(2);
        setup.options.progress = false;
        return in_timed_child(
            [&] {
                try {
                    run_flow(resolve_setup(setup), setup.options);
                } catch (const InputError& error) {
                    return error.diagnostics().front().text();
                }
                return std::string("not refused");
            },
            60);
    };
    const auto node = [&](std::int64_t bytes, const std::string& capacity) {
        const chakra::testing::Folder folder;
        NodeText loads(1, mem_load, "memory");
        loads.integer("tensor_size", bytes);
        RunSetup setup;
        setup.lines = "profile: generic\nworkload: {trace: \"" +
            folder.write_set({{loads}, {chakra::testing::comp(1, 1).integer("is_cpu_op", 0)}}) + "\"}\n";
        setup.sets = {"hbm.capacity=" + capacity};
        return refusal(setup);
    };
    EXPECT_NE(node(std::int64_t{2} << 30, "1 GiB")
                  .find(".0.et:2: node 1 (memory): 2 GiB do not fit into the memory of an endpoint "
                        "(1 GiB); expected smaller messages and tensors, or a larger hbm.capacity"),
        std::string::npos)
        << node(std::int64_t{2} << 30, "1 GiB");
    // What is not counted right is refused where it would fit.
    EXPECT_NE(
        node(std::int64_t{512} << 30, "1024 GiB").find("512 GiB at once at flow fidelity; expected at most 256 GiB"),
        std::string::npos);
    RunSetup collective;
    collective.lines = "profile: generic\nworkload: {collective: all_reduce, algorithm: ring, bytes: 1 GiB}\n";
    collective.sets = {"hbm.capacity=1 GiB"};
    EXPECT_NE(refusal(collective).find(" do not fit into the memory of an endpoint (1 GiB)"), std::string::npos);
    collective.sets = {"hbm.capacity=8 GiB"};
    EXPECT_EQ(refusal(collective), "not refused");
}

}  // namespace memory_nodes_test
