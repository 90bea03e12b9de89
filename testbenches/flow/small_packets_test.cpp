// Messages in packets of which some threads have no part, at flow fidelity against lines.
#include <gtest/gtest.h>

#include "base/text_file.h"
#include "platform/applications/flow/run_flow.h"
#include "testbenches/flow/flow_bench.h"
#include "testbenches/platform/runs.h"

namespace small_packets_test {

using namespace weft;
using namespace weft::testing;

namespace {

struct Ran {
    double ps = 0;
    double bytes = 0;  // on all links
};

Ran ran(const std::string& protocol, const std::string& algorithm, unsigned bytes, bool flow)
{
    RunSetup setup;
    setup.document = read_text_file(example("dgx_h100"));
    setup.lines = "profile: h100\nworkload: {collective: all_reduce, algorithm: " + algorithm +
        ", bytes: " + std::to_string(bytes) + " B, ranks: 4}\n";
    setup.sets = {"engine.protocol=" + protocol};
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
TEST(SmallPackets, OnlyThreadsWithDataSendThem)
{
    for (const char* algorithm : {"direct", "ring"})
        for (const unsigned bytes : {4U, 64U, 1024U}) {
            const Ran line = ran("ll128", algorithm, bytes, false);
            const Ran flow = ran("ll128", algorithm, bytes, true);
            EXPECT_NEAR(flow.bytes / line.bytes, 1, 0.02) << algorithm << " " << bytes;
            EXPECT_NEAR(flow.ps / line.ps, 1, 0.16) << algorithm << " " << bytes;
        }
}

// LL goes in less than a line: parts of lines take a whole one on a wire, which flow fidelity does not count.
TEST(SmallPackets, OfLlAreNoMoreThanByLines)
{
    for (const unsigned bytes : {4U, 64U, 1024U}) {
        const Ran line = ran("ll", "direct", bytes, false);
        const Ran flow = ran("ll", "direct", bytes, true);
        EXPECT_LT(flow.bytes / line.bytes, 1) << bytes;
        EXPECT_GT(flow.bytes / line.bytes, 0.25) << bytes;
        EXPECT_NEAR(flow.ps / line.ps, 1, 0.16) << bytes;
    }
}

}  // namespace small_packets_test
