// Messages in packets at flow fidelity against lines: of which some threads have no part, and with few channels.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"

namespace flow_packets_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Ran {
    double ps = 0;
    double bytes = 0;  // on all links
};

Ran ran(const std::string& protocol, const std::string& algorithm, unsigned bytes, bool flow,
    const std::vector<std::string>& more = {})
{
    RunSetup setup;
    setup.document = read_text_file(example("dgx_h100"));
    setup.lines = "profile: h100\nworkload: {collective: all_reduce, algorithm: " + algorithm +
        ", bytes: " + std::to_string(bytes) + " B, ranks: 4}\n";
    setup.sets = {"engine.protocol=" + protocol};
    setup.sets.insert(setup.sets.end(), more.begin(), more.end());
    setup.options.data_on = false;
    setup.options.progress = false;
    const std::string text = in_timed_child(
        [&] {
            const RunResult result = flow ? run_flow(resolve_setup(setup), setup.options) : run_here(setup);
            std::uint64_t sum = 0;
            for (const LinkResult& link : result.link_results) sum += link.wire_bytes;
            return std::to_string(result.simulated_ps) + " " + std::to_string(sum);
        },
        60);
    return {std::stod(text), std::stod(text.substr(text.find(' ')))};
}

}  // namespace

// 32 channels for 4 B to 1 KiB: threads without data send no packet and wait for none.
TEST(FlowPackets, OnlyThreadsWithDataSendThem)
{
    for (const char* algorithm : {"direct", "ring"})
        for (const unsigned bytes : {4U, 64U, 1024U}) {
            const Ran line = ran("ll128", algorithm, bytes, false);
            const Ran flow = ran("ll128", algorithm, bytes, true);
            EXPECT_NEAR(flow.bytes / line.bytes, 1, 0.02) << algorithm << " " << bytes;
            EXPECT_NEAR(flow.ps / line.ps, 1, 0.16) << algorithm << " " << bytes;
        }
}

// By lines polls hold places that flow gives to stores.
TEST(FlowPackets, MuchInFewChannelsHasANotice)
{
    const auto told = [](const std::string& protocol, const std::string& bytes,
                          const std::vector<std::string>& channels = {"engine.channels=1"}) {
        RunSetup setup;
        setup.document = read_text_file(example("dgx_h100"));
        setup.lines = "profile: h100\nworkload: {collective: all_reduce, algorithm: ring, bytes: " + bytes + "}\n";
        setup.sets = channels;
        setup.sets.push_back("engine.protocol=" + protocol);
        setup.options.data_on = false;
        setup.options.progress = false;
        const RunResult result = run_flow(resolve_setup(setup), setup.options);
        return std::any_of(result.notices.begin(), result.notices.end(),
            [](const std::string& notice) { return notice.find("bytes in packets as its unit") != std::string::npos; });
    };
    // 512 places of 64 B, twice: 32 KiB of ll, 61,440 B of ll128.
    EXPECT_TRUE(told("ll", "32 KiB"));
    EXPECT_FALSE(told("ll", "31 KiB"));
    EXPECT_TRUE(told("ll128", "60 KiB"));
    EXPECT_FALSE(told("ll128", "59 KiB"));
    EXPECT_FALSE(told("simple", "1 MiB"));
    // A message of 32 KiB is worth one of 32 channels.
    EXPECT_TRUE(told("ll", "32 KiB", {"engine.channels=32", "engine.channel_bytes=32KiB"}));
    EXPECT_FALSE(told("ll", "32 KiB", {"engine.channels=32"}));
}

// LL goes in less than a line: parts of lines take a whole one on a wire, which flow fidelity does not count.
TEST(FlowPackets, OfLlAreNoMoreThanByLines)
{
    for (const unsigned bytes : {4U, 64U, 1024U}) {
        const Ran line = ran("ll", "direct", bytes, false);
        const Ran flow = ran("ll", "direct", bytes, true);
        EXPECT_LT(flow.bytes / line.bytes, 1) << bytes;
        EXPECT_GT(flow.bytes / line.bytes, 0.25) << bytes;
        EXPECT_NEAR(flow.ps / line.ps, 1, 0.16) << bytes;
    }
}

// Steps wait for no acknowledges: what one stores is in flight while the next ones load and store, and all of it is limited by
// gpu.outstanding. Without that a ring of 1 MiB by one channel was seven times too fast.
TEST(FlowPackets, StepsShareTheRequestsInFlightOfAUnit)
{
    const std::vector<std::string> one{"engine.channels=1"};
    for (const char* protocol : {"ll", "ll128"})
        for (const char* algorithm : {"ring", "direct"}) {
            const double error =
                ran(protocol, algorithm, 1 << 18, true, one).ps / ran(protocol, algorithm, 1 << 18, false, one).ps - 1;
            EXPECT_NEAR(error, -0.09, 0.09) << protocol << " " << algorithm;
        }
    // Twice as many: half the time, where nothing else limits.
    const auto with = [](unsigned outstanding) {
        return ran("ll", "ring", 1 << 20, true, {"engine.channels=1", "gpu.outstanding=" + std::to_string(outstanding)})
            .ps;
    };
    EXPECT_NEAR(with(64) / with(128), 2, 0.1);
}

}  // namespace flow_packets_test
