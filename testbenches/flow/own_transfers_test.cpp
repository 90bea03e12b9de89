// What flow fidelity does at the edges of a trace: a rank that sends to itself, and times too long to count.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace own_transfers_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr double us = 1e6;

// When rank 0 has ended, in ps, or the refusal.
std::string outcome(const std::vector<std::string>& nodes, bool flow, const std::vector<std::string>& sets = {})
{
    const Folder folder;
    RunSetup setup;
    setup.document = star_document(2);
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set({nodes, {comp(1, 1)}}));
    setup.sets = sets;
    setup.options.progress = false;
    return in_timed_child(
        [&]() -> std::string {
            try {
                const RunResult result = flow ? run_flow(resolve_setup(setup), setup.options) : run_here(setup);
                if (result.stop != StopReason::finished) return "-1";
                for (const RankResult& rank : result.ranks)
                    if (rank.rank == 0) return std::to_string(rank.finish_ps);
                return "-1";
            } catch (const InputError& error) {
                return error.diagnostics().front().text();
            }
        },
        60);
}

double end_of(const std::vector<std::string>& nodes, bool flow)
{
    return std::stod(outcome(nodes, flow, {"hbm.refresh=none"}));
}

// Behind what is measured.
NodeText after(std::uint64_t parent) { return comp(9, 1).data({parent}); }

}  // namespace

TEST(OwnTransfers, TakeTheTimeOfACopy)
{
    for (const int bytes : {64, 4096, 262144}) {
        const std::vector<std::string> both{send(1, 0, 5, bytes), recv(2, 0, 5, bytes), after(2)};
        EXPECT_NEAR((end_of(both, true) - us) / (end_of(both, false) - us), 1, 0.12) << bytes;
        const std::vector<std::string> sender{send(1, 0, 5, bytes), recv(2, 0, 5, bytes), after(1)};
        EXPECT_NEAR((end_of(sender, true) - us) / (end_of(sender, false) - us), 1, 0.12) << bytes;
    }
}

// What caches lack comes no faster than memory gives it: 640 ps for each line.
TEST(OwnTransfers, ColdOnesTakeTheRateOfTheMemory)
{
    for (const char* mover : {"units", "bulk", "copy_engine"}) {
        // Few lists, whose starts take less time than the memory.
        const std::vector<std::string> sets{"hbm.refresh=none", "hbm.bandwidth=100 GB/s",
            std::string("engine.mover=") + mover, mover[0] == 'c' ? "engine.channels=2" : "engine.channels=32"};
        const auto copy = [&](int bytes, bool flow) {
            return std::stoull(outcome({send(1, 0, 5, bytes), recv(2, 0, 5, bytes), after(2)}, flow, sets));
        };
        const std::uint64_t once = copy(262144, true);
        EXPECT_EQ(copy(524288, true) - once, 262144 / 64 * 640U) << mover;
        EXPECT_NEAR((once - us) / (copy(262144, false) - us), 1, 0.06) << mover;
        // Two of them share it.
        const std::vector<std::string> both{send(1, 0, 5, 262144), recv(2, 0, 5, 262144), send(3, 0, 6, 262144),
            recv(4, 0, 6, 262144), comp(9, 1).data({2, 4})};
        std::vector<std::string> at_once = sets;
        at_once.emplace_back("engine.communication_in_flight=2");
        EXPECT_GE(std::stoull(outcome(both, true, at_once)) - once, 262144 / 64 * 640U) << mover;
    }
}

// The same of engines in a run with kernels, which have the same memory.
TEST(OwnTransfers, ColdOnesOfEnginesTakeTheRateOfTheMemoryOfKernels)
{
    for (const char* mover : {"bulk", "copy_engine"}) {
        const std::vector<std::string> sets{"hbm.refresh=none", "hbm.bandwidth=100 GB/s", "engine.compute=kernel",
            "engine.channels=2", std::string("engine.mover=") + mover};
        const auto copy = [&](int bytes) {
            return std::stoull(outcome({send(1, 0, 5, bytes), recv(2, 0, 5, bytes), after(2)}, true, sets));
        };
        EXPECT_EQ(copy(524288) - copy(262144), 262144 / 64 * 640U) << mover;
    }
}

TEST(OwnTransfers, AReceiverThatComesLateFindsTheData)
{
    const std::vector<std::string> late{send(1, 0, 5, 4096), comp(3, 100), recv(2, 0, 5, 4096).data({3}), after(2)};
    EXPECT_NEAR(end_of(late, true) - 101 * us, end_of(late, false) - 101 * us, 50'000);
    // And one that comes early waits for it; its polls beside the copy cost nothing here.
    const std::vector<std::string> early{recv(2, 0, 5, 4096), comp(3, 100), send(1, 0, 5, 4096).data({3}), after(2)};
    EXPECT_NEAR((end_of(early, true) - 101 * us) / (end_of(early, false) - 101 * us), 1, 0.25);
}

// As by lines: not 2^64 ps less.
TEST(LongestRun, ATraceBeyondItIsRefusedWithItsNode)
{
    std::vector<std::string> nodes{comp(1, 4'000'000'000'000)};
    for (std::uint64_t id = 2; id <= 5; ++id) nodes.push_back(comp(id, 4'000'000'000'000).data({id - 1}));
    for (const std::string mode : {"time", "kernel"}) {
        const std::string flow = outcome(nodes, true, {"engine.compute=" + mode});
        EXPECT_NE(flow.find(".0.et:5: node 4 (c): a wait of 4e+06 s goes beyond the longest simulated time"),
            std::string::npos)
            << flow;
    }
    nodes.resize(3);
    EXPECT_EQ(outcome(nodes, true), "12000000000000000000");
}

}  // namespace own_transfers_test
