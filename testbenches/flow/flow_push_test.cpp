// Reductions in switches: each line that is pushed is a packet by itself and pays link.atomic_extra; pieces of a message follow each other.
#include <gtest/gtest.h>

#include "platform/applications/flow/run_flow.h"
#include "testbenches/chakra/trace_writer.h"
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

// As with other algorithms nobody leaves an all-reduce of nothing before all have come, in slices neither.
TEST(FlowPush, PushesOfNothingBringRanksTogether)
{
    const chakra::testing::Folder folder;
    const auto nothing = [](std::uint64_t id) { return chakra::testing::collective(id, 0, 0); };
    std::vector<std::vector<std::string>> ranks(4, {nothing(2)});
    ranks[1] = {chakra::testing::comp(1, 5), nothing(2).data({1})};
    RunSetup setup = pushes("engine.protocol=simple");
    setup.lines = "profile: generic\n" + trace_lines(folder.write_set(ranks), "algorithm: push_reduce");
    for (const char* slices : {"engine.slices=1", "engine.slices=2"}) {
        const RunSetup each = setup.with(slices);
        const RunResult flow = flow_of(each);
        const Json lines = run(each);
        ASSERT_EQ(lines.value("stop", ""), "finished") << lines.dump().substr(0, 300);
        for (unsigned rank = 0; rank < 4; ++rank) {
            EXPECT_GT(flow.ranks[rank].finish_ps, 5'000'000U) << rank;
            EXPECT_NEAR(static_cast<double>(flow.ranks[rank].finish_ps) /
                    lines["ranks"][rank]["finish_ps"].get<double>(),
                1, 0.02)
                << rank;
        }
        EXPECT_EQ(lines["collectives"][0]["algorithm"], "push_reduce");
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
