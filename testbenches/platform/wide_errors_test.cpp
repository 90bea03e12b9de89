// Where wide transactions are further from lines than docs/models/grain.md has it, and a system shows it: few credits, low limits of lines in
// flight, equal paths that divide packets.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

namespace wide_errors_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup gather(const std::string& document, std::vector<std::string> sets)
{
    RunSetup setup{document, collective_lines("all_gather", "direct", "65536"), std::move(sets), {}, {}, {}};
    setup.options.progress = false;
    setup.options.data_on = false;
    return setup;
}

// Accelerators and two switches, each with a link to both: two equal paths.
std::string two_switches()
{
    return R"(name: two
devices:
- name: box
  components:
  - {name: xpu, choice: xpu, count: 4}
  - {name: sw, choice: switch, count: 2}
  links:
  - {name: wire, description: wire, physical: {bandwidth: {gigabytes_per_second: 25}, latency: {ns: 70}}}
  edges:
  - {ep1: {component: xpu}, ep2: {component: sw}, scheme: many2many, link: wire}
instances:
- {name: box, device: box, count: 1}
links: []
edges: []
)";
}

std::vector<std::string> notices_with(const Json& result, const std::string& text)
{
    std::vector<std::string> out;
    for (const Json& notice : result.at("notices"))
        if (notice.get<std::string>().find(text) != std::string::npos) out.push_back(notice);
    return out;
}

std::string refused_within(RunSetup setup, double percent)
{
    setup.options.allowed_error = percent;
    const Json result = run(setup);
    return result.contains("refused") ? result.at("refused").get<std::string>() : "not refused";
}

}  // namespace

TEST(WideErrors, FewCreditsAreToldAndNotTaken)
{
    const RunSetup few = gather(star_document(4), {"link.merge=none", "link.request_credits=8"});
    EXPECT_EQ(run(few).at("simulated_ps"), 26614583u);
    const Json wide = run(few.with("engine.grain=512 B"));
    EXPECT_EQ(wide.at("simulated_ps"), 25821163u);
    const std::string why = "engine.grain = 512 B with link.request_credits = 8 of ";
    const std::string effect = " and 3 more: a channel sends once 8 of them are there, so times are up to 700 % longer "
                               "than at 64 B";
    ASSERT_EQ(notices_with(wide, why).size(), 1u) << wide.at("notices");
    EXPECT_NE(notices_with(wide, why)[0].find(effect + "; only 64 B is nearer"), std::string::npos)
        << notices_with(wide, why)[0];
    EXPECT_NE(refused_within(few.with("engine.grain=512 B"), 699).find(why), std::string::npos);
    EXPECT_EQ(refused_within(few.with("engine.grain=512 B"), 701), "not refused");
    EXPECT_EQ(refused_within(few, 0), "not refused");
    // Answers, too.
    const RunSetup answers = gather(star_document(4), {"link.merge=none", "link.response_credits=8"});
    EXPECT_NE(refused_within(answers.with("engine.grain=128 B"), 14).find("link.response_credits = 8 of "),
        std::string::npos);
    EXPECT_EQ(refused_within(answers.with("engine.grain=128 B"), 14.3), "not refused");
}

// 25 GB/s x (2 x 70 ns + 100 ns in the switch) are 93.75 lines: seven more and a transaction is never missed.
TEST(WideErrors, CreditsForARoundTripAndATransactionAreEnough)
{
    const auto refused = [](const std::string& credits, double percent) {
        return refused_within(
            gather(star_document(4),
                {"link.merge=none", "link.request_credits=" + credits, "link.response_credits=" + credits,
                    "engine.grain=512 B", "gpu.outstanding=65535"}),
            percent);
    };
    EXPECT_EQ(refused("101", 0.02), "not refused");
    EXPECT_NE(refused("100", 0.8).find("so times are up to 0.8 % longer"), std::string::npos);
    EXPECT_EQ(refused("100", 0.81), "not refused");
}

TEST(WideErrors, AtomicsNeedOneCredit)
{
    // Little data and many flags. A channel of them has all of its credits at every grain.
    const RunSetup few = gather(star_document(4), {"link.merge=none", "link.request_credits=8"});
    RunSetup flags = few;
    flags.lines = collective_lines("all_gather", "direct", "256");
    EXPECT_EQ(run(flags).at("simulated_ps"), 3545440u);
    EXPECT_EQ(run(flags.with("engine.grain=512 B")).at("simulated_ps"), 3545440u);  // it was 23985720
}

TEST(WideErrors, LowLimitsAreToldAndNotTaken)
{
    const RunSetup low = gather(star_document(4), {"link.merge=none", "gpu.outstanding=9"});
    EXPECT_EQ(run(low).at("simulated_ps"), 8882943u);
    const Json wide = run(low.with("engine.grain=512 B"));
    EXPECT_EQ(wide.at("simulated_ps"), 8867443u);
    const std::string why = "engine.grain = 512 B with gpu.outstanding = 9 of ";
    ASSERT_EQ(notices_with(wide, why).size(), 1u) << wide.at("notices");
    EXPECT_NE(notices_with(wide, why)[0].find(
                  ": up to 7 lines more are in flight, so times are up to 44 % shorter than "
                  "at 64 B; only 64 B is nearer"),
        std::string::npos);
    EXPECT_NE(refused_within(low.with("engine.grain=512 B"), 43).find(why), std::string::npos);
    EXPECT_EQ(refused_within(low.with("engine.grain=512 B"), 44), "not refused");
    // What moves nothing has no say.
    EXPECT_EQ(
        refused_within(gather(star_document(4), {"link.merge=none", "copy.in_flight=9", "engine.grain=512 B"}), 3.5),
        "not refused");
}

// The generic accelerator: four channels a slice, so two lines of a transaction in each; 16 banks, 2445 ps a line on the pins.
TEST(WideErrors, MemoryThatItsRowsQueuesOrTurnsBoundIsToldAndNotTaken)
{
    const auto with = [](std::vector<std::string> sets, const std::string& grain = "512 B") {
        sets.insert(sets.begin(), "l2.contents=flat");
        sets.insert(sets.end(), {"link.merge=none", "gpu.outstanding=65535", "engine.grain=" + grain});
        return gather(star_document(4), sets);
    };
    const auto expect = [&](const std::vector<std::string>& sets, const std::string& named, double percent) {
        const std::string text = refused_within(with(sets), percent - 0.5);
        EXPECT_NE(text.find("engine.grain = 512 B with " + named), std::string::npos) << text;
        EXPECT_EQ(refused_within(with(sets), percent + 0.5), "not refused") << named;
        EXPECT_EQ(notices_with(run(with(sets)), "engine.grain = 512 B with " + named).size(), 1u) << named;
    };
    expect({"hbm.t_rrd=30 ns"}, "hbm.t_rrd = 30 ns of ", 50);  // 15 ns for 30
    expect({"hbm.t_faw=200 ns"}, "hbm.t_faw = 200 ns of ", 50);
    expect({"hbm.bank_groups=1", "hbm.banks=1"}, "hbm.bank_groups x hbm.banks = 1 of ", 50);
    expect({"hbm.read_queue=4"}, "hbm.read_queue = 4 of ", 20);  // 42 ns / 5 for 42 ns / 4
    expect({"hbm.write_high=1", "hbm.write_low=0"}, "hbm.write_high - hbm.write_low = 1 of ", 42);
    // With a channel for each slice it has all lines of a transaction. Fills that carry contents are lines.
    EXPECT_NE(refused_within(with({"hbm.t_rrd=30 ns", "hbm.channels=32", "hbm.bandwidth=800 GB/s"}), 86)
                  .find("8 lines open one row, where each may open its own at 64 B, so times are up to 87 % shorter"),
        std::string::npos);
    EXPECT_EQ(refused_within(with({"hbm.t_rrd=30 ns", "l2.contents=cached"}), 1), "not refused");
    for (const char* grain : {"128 B", "256 B", "512 B"})
        EXPECT_EQ(refused_within(with({}, grain), 0.8), "not refused");
}

TEST(WideErrors, EqualPathsThatDividePacketsAreToldAndNotTaken)
{
    const RunSetup paths = gather(two_switches(), {"link.merge=adjacent", "link.max_payload=128 B"});
    const RunSetup together = paths.with("routing.stripe=128 B");
    EXPECT_EQ(run(paths).at("simulated_ps"), 3393603u);
    EXPECT_EQ(run(together).at("simulated_ps"), 3186103u);
    const Json wide = run(paths.with("engine.grain=128 B"));
    EXPECT_EQ(wide.at("simulated_ps"), 3187763u);
    const std::string why =
        "engine.grain = 128 B with routing.stripe = 64 B, equal paths and packets of up to 128 B on ";
    ASSERT_EQ(notices_with(wide, why).size(), 1u) << wide.at("notices");
    EXPECT_NE(notices_with(wide, why)[0].find("64 B with routing.stripe=128B is nearest to this"), std::string::npos);
    EXPECT_NE(refused_within(paths.with("engine.grain=128 B"), 1e9).find(why), std::string::npos);
    // A stripe of a packet; packets of a line; one path for a pair; one switch.
    for (const RunSetup& good : {together, paths.with("link.max_payload=64 B"), paths.with("link.merge=none"),
             paths.with("routing.path_selection=pairs"),
             gather(star_document(4), {"link.merge=adjacent", "link.max_payload=128 B"})})
        EXPECT_EQ(refused_within(good.with("engine.grain=128 B"), 1.6), "not refused");
}

// They stay lines, so a grain moves stripes and slices alone.
TEST(WideErrors, PacketsAreToldAndNotTaken)
{
    for (const std::string protocol : {"ll", "ll128"}) {
        const std::vector<std::string> sets{"engine.protocol=" + protocol, "engine.grain=512B"};
        const std::string text =
            "engine.grain = 512 B with engine.protocol = " + protocol + ": its packets stay lines, ";
        EXPECT_EQ(notices_with(run(gather(star_document(3), sets)), text).size(), 1U);
        EXPECT_NE(refused_within(gather(star_document(3), sets), 50).find(text), std::string::npos);
    }
    const std::vector<std::string> simple{"engine.grain=512B"};
    EXPECT_EQ(notices_with(run(gather(star_document(3), simple)), "stay lines").size(), 0U);
}

}  // namespace wide_errors_test
