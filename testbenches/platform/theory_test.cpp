// The alpha-beta figure beside the simulated time.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"
#include "testbenches/support/thorough.h"

namespace theory_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Large caches, hardly any time for bandwidth, one channel: what is left are the latencies.
RunSetup idealised(unsigned ranks, const std::string& op, const std::string& algorithm, const std::string& bytes)
{
    RunSetup setup;
    setup.document = ranks == 2 ? mesh_document(2) : star_document(ranks);
    setup.lines = "profile: generic\n" + collective_lines(op, algorithm, bytes, "type: u8");
    setup.sets = {"engine.channels=1", "gpu.wait_policy=waiting_atomic", "link.bandwidth=100 TB/s",
        "l2.bandwidth=1000 TB/s", "network.unit_rate=0 GB/s", "network.slice_rate=0 GB/s", "gpu.clock=100 GHz",
        "link.header=4", "link.flit=4"};
    return setup;
}

struct Parts {  // of alpha, from the resolved parameters
    std::uint64_t answer;
    std::uint64_t notice;
};

Parts parts_of(const RunSetup& setup)
{
    const ResolvedSystem system = resolve_setup(setup);
    const GpuSpec& gpu = system.gpu(system.endpoints()[0]);
    const bool through_switch = system.endpoints().size() > 2;
    const std::uint64_t links = system.link(0).latency * (through_switch ? 2 : 1);
    std::uint64_t forwarding = 0;
    if (through_switch)
        for (NodeId node = 0; node < system.graph().node_count(); ++node)
            if (system.role(node) == NodeRole::forwarder) forwarding = system.switch_of(node).latency;
    return {gpu.l2_to_port + links + forwarding + gpu.port_to_unit, gpu.l2_to_unit};
}

}  // namespace

TEST(AlphaBeta, OneMebibyteRingAllReduceOfTheH100Box)
{
    for (const std::string& document : {example("dgx_h100"), shared_document("device_dgx_h100")}) {
        if (document != example("dgx_h100") && (!has_shared() || !weft::test::thorough())) continue;
        RunSetup setup;
        setup.document = document;
        setup.lines = collective_lines("all_reduce", "ring", "1 MiB");
        const Json result = run(setup);
        ASSERT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
        const double simulated = result["simulated_ps"];
        const double theory = result["alpha_beta"]["time_ps"];
        EXPECT_EQ(result["alpha_beta"]["steps"], 14);
        EXPECT_NEAR(simulated / theory, 1.0, 0.15);
    }
}

TEST(AlphaBeta, OneLinePutIsExact)
{
    // One step: the line is read, put and acknowledged, then signalled. The sender waits for the answer to
    // its signal, where the figure counts the notice; and its line comes from memory, not from the cache.
    const RunSetup setup = idealised(2, "all_to_all", "direct", "128");
    const Json result = run(setup);
    ASSERT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
    const Parts parts = parts_of(setup);
    const ResolvedSystem system = resolve_setup(setup);
    const std::uint64_t memory = idle_read(system.hbm(system.endpoints()[0]));
    EXPECT_EQ(result["alpha_beta"]["steps"], 1);
    EXPECT_EQ(result["simulated_ps"].get<std::uint64_t>(),
        result["alpha_beta"]["alpha_ps"].get<std::uint64_t>() + memory + parts.answer - parts.notice);
}

TEST(AlphaBeta, OneLinePutByABulkCopyIsExactToo)
{
    const RunSetup setup = idealised(2, "all_to_all", "direct", "128").with("engine.mover=bulk");
    const Json result = run(setup);
    ASSERT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
    const Parts parts = parts_of(setup);
    const ResolvedSystem system = resolve_setup(setup);
    const std::uint64_t memory = idle_read(system.hbm(system.endpoints()[0]));
    EXPECT_EQ(result["simulated_ps"].get<std::uint64_t>(),
        result["alpha_beta"]["alpha_ps"].get<std::uint64_t>() + memory + parts.answer - parts.notice);
}

TEST(AlphaBeta, TheStartOfACopyIsInIt)
{
    // Looks at a flag by a list come at an interval of their own.
    const RunSetup setup = idealised(2, "all_to_all", "direct", "128");
    const GpuSpec gpu = resolve_setup(setup).gpu(resolve_setup(setup).endpoints()[0]);
    const L2Spec l2 = resolve_setup(setup).l2(resolve_setup(setup).endpoints()[0]);
    const CopySpec copy = resolve_setup(setup).copy(resolve_setup(setup).endpoints()[0]);
    const auto alpha = [](const RunSetup& with) { return run(with)["alpha_beta"]["alpha_ps"].get<std::uint64_t>(); };
    EXPECT_EQ(alpha(setup.with("engine.mover=copy_engine")) - alpha(setup),
        copy.start + (gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit + copy.poll_interval) / 2);
}

TEST(AlphaBeta, CopyEnginesAndUnitsInTurnHaveNoFormula)
{
    const RunSetup setup = idealised(2, "all_reduce", "ring", "4096").with("engine.mover=copy_engine");
    const Json result = run(setup);
    EXPECT_EQ(result.value("verified", ""), "passed") << result.dump().substr(0, 300);
    EXPECT_TRUE(result["alpha_beta"].is_null());
}

// A ring begins some of its steps with a bulk copy, and sums in others. Steps that all sum are as without bulk copies.
TEST(AlphaBeta, TheStartOfABulkCopyIsThatOfCopies)
{
    const auto figure = [](const std::string& op, const std::string& algorithm, const std::string& mover) {
        return run(
            idealised(2, op, algorithm, "4096").with("engine.mover=" + mover).with("bulk.start=50us"))["alpha_beta"];
    };
    EXPECT_TRUE(figure("all_reduce", "ring", "bulk").is_null());
    EXPECT_EQ(figure("all_reduce", "two_shot_get", "bulk"), figure("all_reduce", "two_shot_get", "units"));
    EXPECT_FALSE(figure("all_reduce", "two_shot_get", "bulk").is_null());
    EXPECT_EQ(figure("all_gather", "ring", "bulk")["alpha_ps"].get<std::uint64_t>() -
            figure("all_gather", "ring", "units")["alpha_ps"].get<std::uint64_t>(),
        50'000'000U);
}

TEST(AlphaBeta, PacketsSaveAnAnswerAndASignal)
{
    const RunSetup setup = idealised(2, "all_to_all", "direct", "4096");
    const ResolvedSystem system = resolve_setup(setup);
    const GpuSpec gpu = system.gpu(system.endpoints()[0]);
    const L2Spec l2 = system.l2(system.endpoints()[0]);
    const auto figure = [](const RunSetup& with) { return run(with)["alpha_beta"]; };
    const auto alpha = [&](const RunSetup& with) { return figure(with)["alpha_ps"].get<std::uint64_t>(); };
    // Units look at packets again and again: half a period on average.
    const std::uint64_t looks = (gpu.unit_to_l2 + l2.latency + gpu.l2_to_unit + gpu.spin_interval) / 2;
    const std::uint64_t signal = gpu.unit_to_port + system.link(0).latency + gpu.port_to_l2 + l2.latency;
    EXPECT_EQ(alpha(setup) - alpha(setup.with("engine.protocol=ll")) + looks, parts_of(setup).answer + signal);
    EXPECT_EQ(alpha(setup.with("gpu.fence_latency=700ns")), alpha(setup) + 700'000);
    EXPECT_NEAR(figure(setup.with("engine.protocol=ll"))["wire_bytes"].get<double>(),
        2 * figure(setup)["wire_bytes"].get<double>(), 1);
    EXPECT_TRUE(figure(setup.with("engine.slices=2")).is_null());
}

TEST(AlphaBeta, ThroughASwitchToo)
{
    const RunSetup setup = idealised(3, "broadcast", "ring", "4");
    const Json barrier = run(idealised(3, "barrier", "direct", "0"));
    const Parts parts = parts_of(setup);
    // A barrier is one signal: alpha is signal + notice.
    EXPECT_EQ(barrier["alpha_beta"]["steps"], 1);
    const std::uint64_t alpha = barrier["alpha_beta"]["alpha_ps"];
    const std::uint64_t second_signal = 10;  // each rank signals two, a cycle apart
    EXPECT_EQ(barrier["simulated_ps"].get<std::uint64_t>(), alpha - parts.notice + parts.answer + second_signal);
}

TEST(AlphaBeta, AChainOfSignalsIsStepsTimesAlpha)
{
    for (const unsigned ranks : {3u, 5u, 8u}) {
        const RunSetup setup = idealised(ranks, "barrier", "ring", "0");
        const Json result = run(setup);
        const Parts parts = parts_of(setup);
        EXPECT_EQ(result["alpha_beta"]["steps"], 2 * (ranks - 1));
        // The last signal's sender waits for its acknowledge.
        EXPECT_EQ(result["simulated_ps"].get<std::uint64_t>(),
            result["alpha_beta"]["steps"].get<std::uint64_t>() * result["alpha_beta"]["alpha_ps"].get<std::uint64_t>() +
                parts.answer - parts.notice)
            << ranks;
    }
}

TEST(AlphaBeta, LaunchLatencyIsInIt)
{
    const RunSetup setup = idealised(2, "barrier", "direct", "0");
    const Json without = run(setup);
    const Json with = run(setup.with("gpu.launch_latency=5 us"));
    for (const char* key : {"simulated_ps"})
        EXPECT_EQ(with[key].get<std::uint64_t>(), without[key].get<std::uint64_t>() + 5'000'000);
    EXPECT_EQ(with["alpha_beta"]["time_ps"].get<std::uint64_t>(),
        without["alpha_beta"]["time_ps"].get<std::uint64_t>() + 5'000'000);
}

// What the schedule puts on each link follows the rule that chooses among equal paths: beside the flags, of 8 B, nothing differs.
TEST(AlphaBeta, PayloadOfLinksFollowsTheSelectionOfPaths)
{
    for (const std::string selection : {"lines", "round_robin", "pairs", "none"})
        for (const std::string algorithm : {"direct", "direct_get"}) {
            constexpr double pairs = 8 * 7;  // a signal and a handshake each
            RunSetup setup;
            setup.document = example("two_tier_8");
            setup.lines = collective_lines("all_gather", algorithm, "64 KiB");
            setup.sets = {"routing.path_selection=" + selection, "engine.channels=1"};
            setup.options.data_on = false;
            const Json result = run(setup);
            double most = 0;
            for (const Json& link : result["links"]) {
                const double theory = link["theory_payload_bytes"];
                const double flags = link["payload_bytes"].get<double>() - theory;
                EXPECT_GE(flags, 0) << selection << " " << algorithm << " " << link.dump();
                EXPECT_LE(flags, 2 * 8 * pairs) << selection << " " << algorithm << " " << link.dump();
                most = std::max(most, theory);
            }
            EXPECT_GT(most, 0);
        }
}

}  // namespace theory_test
