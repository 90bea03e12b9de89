// Reductions in switches: each line that is pushed is a packet by itself and pays link.atomic_extra; pieces of a message follow each other.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/platform/runs.h"

namespace flow_push_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup pushes(const std::string& set)
{
    RunSetup out;
    out.document = star_document(4);
    out.lines = "profile: generic\n" + collective_lines("all_reduce", "push_reduce", "256 KiB");
    out.sets = {"engine.channels=8", "switch.multicast_groups=8", "link.flit=16B", "link.header=16B", set};
    out.options.progress = out.options.data_on = false;
    return out;
}

RunResult flow_of(const RunSetup& setup) { return run_flow(resolve_setup(setup), setup.options); }

double wire_up(const RunResult& result)
{
    for (const LinkResult& link : result.link_results)
        if (link.from.find("xpu") != std::string::npos) return static_cast<double>(link.wire_bytes);
    return 0;
}

}  // namespace

TEST(FlowPush, EachLinePaysTheExtraOfAtomics)
{
    const double lines = 256.0 * 1024 / 64;
    const RunResult none = flow_of(pushes("link.merge=none"));
    const RunResult extra = flow_of(pushes("link.merge=none").with("link.atomic_extra=40B"));
    // Signals pay it as well.
    EXPECT_NEAR(wire_up(extra) - wire_up(none), 40 * lines, 40 * lines * 0.03);
}

TEST(FlowPush, TimesAndBytesAreThoseOfLines)
{
    for (const char* merge : {"none", "adjacent"})
        for (const char* extra : {"0B", "40B", "64B"}) {
            const RunSetup setup = pushes(std::string("link.merge=") + merge)
                                       .with(std::string("link.atomic_extra=") + extra)
                                       .with("link.max_payload=256B")
                                       .with("link.group_payload=256B");
            const RunResult flow = flow_of(setup);
            const Json lines = run(setup);
            const double time = lines["simulated_ps"];
            EXPECT_NEAR(static_cast<double>(flow.simulated_ps) / time, 1, 0.02) << merge << extra;
            for (const Json& link : lines["links"]) {
                if (std::string(link["from"]).find("xpu") == std::string::npos) continue;
                EXPECT_NEAR(wire_up(flow) / link["wire_bytes"].get<double>(), 1, 0.01) << merge << extra;
                break;
            }
        }
}

// A step of a thread waits for the loads of the one before, not for the acknowledges of its stores. Pieces of a message that a switch adds
// up were 52 % too slow, one behind the other.
TEST(FlowPush, PiecesThatASwitchAddsUpFollowEachOtherByTheirLoads)
{
    for (const char* bytes : {"16 KiB", "256 KiB"}) {
        RunSetup setup;
        setup.document = example("dgx_h100");
        setup.lines = "profile: h100\n" + collective_lines("all_reduce", "nvls_tree", bytes, "dimensions: \"xpu=8\"");
        setup.options.progress = setup.options.data_on = false;
        const double lines = run(setup)["simulated_ps"];
        EXPECT_NEAR(static_cast<double>(flow_of(setup).simulated_ps) / lines, 1, 0.06) << bytes;
    }
}

}  // namespace flow_push_test
