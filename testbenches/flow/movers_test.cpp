// What moves data at flow fidelity beyond loads and stores in order: registers of loads, copy engines, bulk copies, and what caches
// still have of earlier jobs. Every knob moves the right number in the right direction.
#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "collectives/engine/buffer_history.h"
#include "platform/applications/flow/run_flow.h"
#include "platform/configuration/resolution/resolve.h"
#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"
#include "testbenches/support/scratch_folder.h"

namespace movers_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup setup_of(const std::string& document, const std::string& lines)
{
    RunSetup out;
    out.document = document;
    out.lines = lines;
    out.options.progress = false;
    return out;
}

RunSetup dgx(const std::string& op, const std::string& algorithm, const std::string& bytes, const std::string& mover)
{
    return setup_of(example("dgx_h100"), "profile: h100\n" + collective_lines(op, algorithm, bytes))
        .with("engine.mover=" + mover)
        .with("engine.channels=2");
}

double us(const RunSetup& setup)
{
    return static_cast<double>(run_flow(resolve_setup(setup), setup.options).simulated_ps) / 1e6;
}

// Of rank 0, by its name in results; us.
double cause_us(const RunResult& result, const std::string& name)
{
    for (const auto& [cause, time] : result.ranks.at(0).stall_ps)
        if (cause == name) return static_cast<double>(time) / 1e6;
    ADD_FAILURE() << "no cause " << name;
    return 0;
}

RunResult flow_of(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

std::string refusal(const RunSetup& setup)
{
    try {
        us(setup);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

// A ring of eight: seven steps, each a copy with its start.
TEST(FlowCopyEngines, EveryStepOfARingTakesOneStart)
{
    const RunSetup setup = dgx("all_gather", "ring", "16 KiB", "copy_engine");
    EXPECT_NEAR(us(setup.with("copy.start=3 us")) - us(setup.with("copy.start=1 us")), 7 * 2.0, 0.1);
    // By lines: a list that has polled in vain does so again a whole interval later.
    EXPECT_NEAR(us(setup.with("copy.poll_interval=1100 ns")) - us(setup.with("copy.poll_interval=100 ns")),
        24.8678 - 19.9527, 0.01);
}

TEST(FlowCopyEngines, RateRequestsInFlightAndEnginesAreBounds)
{
    const RunSetup setup = dgx("all_gather", "direct", "8 MiB", "copy_engine").with("copy.engines=2");
    const double plain = us(setup);
    EXPECT_GT(us(setup.with("copy.rate=100 GB/s")), 1.5 * plain);
    EXPECT_GT(us(setup.with("copy.in_flight=512")), 1.5 * plain);
    EXPECT_NEAR(us(setup.with("copy.in_flight=1000000")), plain, 0.05 * plain);
    // 7/8 of the message in 14 copies of two lists: on one engine each waits for those before it.
    const RunSetup all = dgx("all_to_all", "direct", "16 KiB", "copy_engine");
    EXPECT_GT(us(all.with("copy.engines=1")) - us(all.with("copy.engines=2")), 6.0);
}

// Never faster than the rate of the engines: 7/8 of 8 MiB to seven peers by one engine at 50 GB/s.
TEST(FlowCopyEngines, NoneIsFasterThanItsRate)
{
    const RunSetup setup =
        dgx("all_gather", "direct", "8 MiB", "copy_engine").with("copy.engines=1").with("copy.rate=50 GB/s");
    EXPECT_GE(us(setup), 8.0 * (1 << 20) / 8 * 7 / 50e3);
}

// As lines call them: the time of lists is the mean over the lists of the rank.
TEST(FlowCopyEngines, ListsWaitForOtherListsAndForTheLimitAsByLines)
{
    // Two lists with a copy each: the second one comes to the head when the first one has issued its loads.
    const RunSetup one = setup_of(star_document(2), collective_lines("all_gather", "direct", "256 KiB"))
                             .with("engine.mover=copy_engine")
                             .with("engine.channels=2")
                             .with("copy.engines=1")
                             .with("copy.rate=100 GB/s")
                             .with("copy.in_flight=1000000");
    const RunResult flow = flow_of(one);
    const double issue = (1e6 + 131072 * 10) / 1e6;  // copy.start, and 128 KiB at 100 GB/s
    EXPECT_NEAR(cause_us(flow, "issue"), issue / 2, 1e-6);
    EXPECT_NEAR(cause_us(flow, "busy"), issue, 0.01);
    EXPECT_EQ(cause_us(flow, "unit_outstanding"), 0);
    const RunSetup few = one.with("engine.channels=1").with("copy.in_flight=16");
    const RunResult limited = flow_of(few);
    EXPECT_EQ(cause_us(limited, "issue"), 0);
    const RunResult lines = run_here(few);
    EXPECT_GT(cause_us(lines, "unit_outstanding"), 10 * cause_us(lines, "busy"));
    EXPECT_GT(cause_us(limited, "unit_outstanding"), 10 * cause_us(limited, "busy"));
}

TEST(FlowCopyEngines, SumsAreRefused)
{
    EXPECT_NE(refusal(dgx("all_reduce", "ring", "1 MiB", "copy_engine")).find("steps that units carry out"),
        std::string::npos);
}

// Three copies by one engine, each over a link of its own: what waits at one link keeps places of the engine, so a copy begins when
// that is all which the one before has left. The copy to the own place comes last.
TEST(FlowCopyEngines, AnEngineWaitsForTheLinksOfItsCopies)
{
    const auto of = [](const char* op, const char* algorithm, const char* mover) {
        return setup_of(mesh_document(4),
            "links:\n  wire: {protocol: nvlink_4, merge: none}\n" + collective_lines(op, algorithm, "1 MiB"))
            .with(std::string("engine.mover=") + mover)
            .with("engine.channels=1")
            .with("copy.in_flight=512")
            .with("bulk.in_flight=512");
    };
    const auto lines_us = [](const RunSetup& of) { return run(of)["simulated_ps"].get<double>() / 1e6; };
    const RunSetup setup = of("scatter", "direct", "copy_engine");
    const double copy = 262144 / 25e3 * 80 / 64;  // us: 16 B of headers for 64 B
    const double left = 512 * 80 / 25e3;
    const double flow = us(setup);
    EXPECT_GT(flow, 3 * copy - 2 * left);
    EXPECT_NEAR(flow, lines_us(setup), 0.03 * flow);
    // With room for all, the links work side by side.
    EXPECT_LT(us(setup.with("copy.in_flight=16384")), 0.5 * flow);
    // Bulk copies and loads by the same rule.
    for (const RunSetup& other : {of("scatter", "direct", "bulk"), of("all_gather", "direct_get", "copy_engine")})
        EXPECT_NEAR(us(other), lines_us(other), 0.1 * us(other));
}

TEST(FlowBulkCopies, StartRateAndRequestsInFlightCount)
{
    const RunSetup ring = dgx("all_gather", "ring", "16 KiB", "bulk");
    EXPECT_NEAR(us(ring.with("bulk.start=1100 ns")) - us(ring.with("bulk.start=100 ns")), 7 * 1.0, 0.1);
    const RunSetup large = dgx("all_to_all", "direct", "4 MiB", "bulk");
    const double plain = us(large);
    EXPECT_GT(us(large.with("bulk.rate=20 GB/s")), 1.5 * plain);
    EXPECT_GT(us(large.with("bulk.in_flight=256")), 1.5 * plain);
    EXPECT_LT(us(large.with("bulk.in_flight=8192")), 0.9 * plain);
    // Sums are the units', which wait for the copies before.
    EXPECT_GT(us(dgx("all_reduce", "ring", "1 MiB", "bulk").with("bulk.start=1 us")),
        5 + us(dgx("all_reduce", "ring", "1 MiB", "bulk")));
}

// Two register sets: a load from the other server holds one of them until it is answered, and a third load waits for the oldest.
TEST(FlowLoads, MoreRegistersHideTheWayToOtherServers)
{
    const RunSetup setup = setup_of(example("two_hosts"),
        "links:\n  ic: {protocol: ic}\n" + std::string("bind:\n- {nodes: {component: nic}, kind: nic}\n") +
            collective_lines("all_gather", "direct_get", "4 KiB"));
    const double two = us(setup.with("engine.unroll=2"));
    const double eight = us(setup.with("engine.unroll=8"));
    EXPECT_GT(two, eight + 1);
    for (const char* unroll : {"engine.unroll=2", "engine.unroll=8"}) {
        const RunSetup of = setup.with(unroll);
        const double lines = run(of, 100)["simulated_ps"].get<double>() / 1e6;
        EXPECT_NEAR(us(of), lines, 0.05 * lines) << unroll;
    }
}

TEST(BufferHistory, ABufferIsCachedWhileWhatWasUsedSinceFits)
{
    BufferHistory memory(1 << 20, 4096);
    const BufferHistory::Taken first = memory.take(1024);
    EXPECT_FALSE(first.cached);
    memory.give_back(first);
    const BufferHistory::Taken again = memory.take(1024);
    EXPECT_EQ(again.address, first.address);
    EXPECT_TRUE(again.cached);
    memory.give_back(again);
    memory.give_back(memory.take(3072));
    EXPECT_TRUE(memory.take(1024).cached);
    BufferHistory small(1 << 20, 2048);
    small.give_back(small.take(1024));
    small.give_back(small.take(2048));
    EXPECT_FALSE(small.take(1024).cached);
    EXPECT_EQ(memory.take(2 << 20).bytes, 0U);
}

// The third of equal collectives has the buffers of the first, which are free by then, and finds its input; with a tiny L2 it does not.
TEST(FlowTraces, LaterCollectivesFindTheirInputsInTheCache)
{
    using namespace weft::chakra::testing;
    const Folder folder;
    const auto three = [] {
        return std::vector<std::string>{collective(1, 0, 65536), collective(2, 0, 65536).data({1}),
            collective(3, 0, 65536).data({2})};
    };
    const std::string prefix = folder.write_set({three(), three()});
    const RunSetup setup = setup_of(star_document(2), "profile: generic\n" + trace_lines(prefix));
    const auto lengths = [&](const RunSetup& of) {
        const RunResult result = run_flow(resolve_setup(of), of.options);
        const auto& all = result.collectives;
        return std::pair(all[0].end_ps - all[0].start_ps, all[2].end_ps - all[2].start_ps);
    };
    const auto [first, third] = lengths(setup);
    EXPECT_LT(third + 50'000, first);
    const auto [cold, still_cold] = lengths(setup.with("l2.size=64 KiB").with("l2.slices=4"));
    EXPECT_EQ(cold, still_cold);
}

}  // namespace movers_test
