// Workgroups that wait for a place on their accelerator, because more were asked for than fit at once.
#include <gtest/gtest.h>

#include "collectives/flow/flow_places.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_places_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup setup_of(const std::string& op, const std::string& algorithm, const std::string& bytes,
    std::vector<std::string> sets)
{
    RunSetup out;
    out.document = star_document(3);
    out.lines = "profile: generic\n" + collective_lines(op, algorithm, bytes);
    out.sets = std::move(sets);
    out.options.progress = out.options.data_on = false;
    return out;
}

RunResult flow_of(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

}  // namespace

TEST(FlowPlaces, TheRestWaitsInOrder)
{
    FlowPlaces places;
    std::vector<std::uint32_t> begun;
    const auto start = [&](const FlowPlaces::Waiting& next) { begun.push_back(next.thread); };
    EXPECT_TRUE(places.enter(0, 2, {0, 1, 0}));
    EXPECT_TRUE(places.enter(0, 2, {1, 1, 0}));
    EXPECT_FALSE(places.enter(0, 2, {2, 1, 5}));
    EXPECT_FALSE(places.enter(0, 2, {3, 1, 6}));
    EXPECT_TRUE(places.enter(1, 2, {4, 1, 6}));  // of another accelerator
    places.leave(0, 2, 1, start);
    EXPECT_EQ(begun, (std::vector<std::uint32_t>{2}));
    places.leave(0, 2, 1, start);
    places.leave(0, 2, 1, start);
    EXPECT_EQ(begun, (std::vector<std::uint32_t>{2, 3}));
    // What stands for more than there are takes all.
    EXPECT_FALSE(places.enter(0, 2, {5, 7, 0}));
    places.leave(0, 2, 1, start);
    EXPECT_EQ(begun.back(), 5U);
    EXPECT_FALSE(places.enter(0, 2, {6, 1, 0}));
    places.leave(0, 2, 7, start);
    EXPECT_EQ(begun.back(), 6U);
}

TEST(FlowPlaces, TimesAreThoseOfLines)
{
    const RunSetup setups[] = {
        setup_of("all_gather", "direct", "192 KiB", {"gpu.compute_units=2", "engine.channels=16"}),
        setup_of("all_gather", "direct", "192 KiB", {"gpu.compute_units=2", "engine.channels=32"}),
        setup_of("all_reduce", "ring", "384 KiB",
            {"engine.wavefronts=32", "engine.channels=32", "gpu.compute_units=16", "gpu.wavefronts_per_unit=32"}),
        setup_of("all_to_all", "direct", "96 KiB",
            {"engine.channels=16", "gpu.compute_units=4", "gpu.workgroups_per_unit=1"}),
    };
    for (const RunSetup& setup : setups) {
        const Json lines = run(setup);
        const RunResult flow = flow_of(setup);
        EXPECT_NEAR(static_cast<double>(flow.simulated_ps) / lines["simulated_ps"].get<double>(), 1, 0.15)
            << setup.lines;
        std::uint64_t queued = 0;
        for (const auto& [cause, time] : flow.ranks[0].stall_ps)
            if (cause == "queued") queued = time;
        EXPECT_GT(queued, 0U);
    }
}

// Beyond 64 ranks all begin at once, and a notice says so.
TEST(FlowPlaces, LargeRunsTellIt)
{
    RunSetup setup = setup_of("all_reduce", "ring", "1 MiB", {"engine.channels=16", "gpu.compute_units=2"});
    const auto tells = [](const RunResult& result) {
        for (const std::string& notice : result.notices)
            if (notice.find("workgroups") != std::string::npos) return true;
        return false;
    };
    EXPECT_FALSE(tells(flow_of(setup)));
    setup.document = star_document(72);
    EXPECT_TRUE(tells(flow_of(setup)));
    EXPECT_FALSE(tells(flow_of(setup.with("gpu.compute_units=8"))));
}

// The waits for places are in the account of a rank's time, also where kernels compute beside; a thread without operations takes no
// place and waits for none.
TEST(FlowPlaces, WhatThreadsWaitForIsThatOfLines)
{
    const auto share_of = [](const RankResult& rank, const std::string& name, Time time) {
        for (const auto& [cause, ps] : rank.stall_ps)
            if (cause == name) return static_cast<double>(ps) / static_cast<double>(time);
        return 0.0;
    };
    RunSetup beside = setup_of("all_reduce", "ring", "16384",
        {"engine.channels=4", "gpu.compute_units=1", "gpu.workgroups_per_unit=2"});
    beside.lines =
        "profile: generic\n" + collective_lines("all_reduce", "ring", "16384", "beside: \"gemm:128,256,128\"");
    const RunSetup tree = setup_of("all_reduce", "tree", "16384", {"gpu.compute_units=1", "gpu.workgroups_per_unit=1"});
    for (const RunSetup& setup : {beside, tree}) {
        const Json lines = run(setup);
        const RunResult flow = flow_of(setup);
        const Json ranks = lines.at("ranks");
        for (std::size_t rank = 0; rank < 3; ++rank) {
            const double by_lines =
                ranks[rank]["stall_ps"]["queued"].get<double>() / lines["simulated_ps"].get<double>();
            EXPECT_NEAR(share_of(flow.ranks[rank], "queued", flow.simulated_ps), by_lines, 0.05) << rank << setup.lines;
        }
    }
}

TEST(FlowPlaces, ADeadlockNamesThoseWithoutAPlace)
{
    RunSetup setup = setup_of("all_reduce", "multi_dim", "16384", {"gpu.compute_units=1", "gpu.workgroups_per_unit=1"});
    setup.document = mesh_document(4);
    const RunResult flow = flow_of(setup);
    EXPECT_EQ(flow.stop, StopReason::deadlock);
    bool named = false;
    for (const std::string& line : flow.blocked)
        named = named || line.find("rank 0 has a workgroup that waits for a compute unit") != std::string::npos;
    EXPECT_TRUE(named);
}

}  // namespace flow_places_test
