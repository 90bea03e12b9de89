// Eight GPUs of a DGX H100, switches as RTL or reference models: results in memory, times to the picosecond.
#include <chrono>
#include <regex>
#include <thread>

#include <gtest/gtest.h>

#include "platform/workload/progress_line.h"
#include "testbenches/platform/runs.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace rtl_run_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup dgx(const std::string& algorithm, const std::string& binds, const std::string& bytes = "16 KiB")
{
    RunSetup setup;
    setup.document = example("dgx_h100");
    setup.lines = "profile: h100\nbind: [" + binds + "]\n" + collective_lines("all_reduce", algorithm, bytes);
    setup.sets = {"switch.clock=500 ps", "switch.traversal=500 ps", "engine.channels=4"};
    return setup;
}

// By default four GPUs: the compiler takes longest, for switches with eight ports three times as long; and as few credits,
// groups and contexts as these need.
RunSetup box(const std::string& algorithm, const std::string& binds)
{
    if (test::thorough()) return dgx(algorithm, binds);
    RunSetup setup = dgx(algorithm, binds, "4 KiB");
    setup.document = std::string(WEFT_SOURCE_DIR) + "/examples/rtl_block/box_4.yaml";
    setup.sets.insert(setup.sets.end(),
        {"link.request_credits=16", "link.response_credits=16", "switch.multicast_groups=4",
            "switch.group_contexts=8"});
    return setup;
}

std::string all(const std::string& model) { return "{nodes: \"*.nvsw.*\", model: " + model + "}"; }

// All but what names the models.
Json without_models(Json result)
{
    for (const char* key : {"modules", "parameters", "wall_s", "elaborate_s", "cpu_s", "peak_rss_bytes"})
        result.erase(key);
    static const std::regex name("link model '[a-z_]+'");
    return Json::parse(std::regex_replace(result.dump(), name, "link model"));
}

class RtlRun : public RtlTest {};

}  // namespace

TEST(ReferenceSwitchRun, CollectivesAreVerifiedAndRepeat)
{
    for (const char* const algorithm : {"ring", "nvls", "nvls_one_shot"}) {
        const Json one = weft::testing::run(dgx(algorithm, all("reference_switch")));
        EXPECT_EQ(one.value("verified", ""), "passed") << algorithm << one.dump();
        EXPECT_EQ(one, weft::testing::run(dgx(algorithm, all("reference_switch"))));
    }
}

TEST(ReferenceSwitchRun, DataChangeNoTime)
{
    for (const char* const algorithm : {"ring", "nvls"}) {
        RunSetup setup = dgx(algorithm, all("reference_switch"));
        const Json with = weft::testing::run(setup);
        setup.options.data_on = false;
        EXPECT_EQ(weft::testing::run(setup)["simulated_ps"], with["simulated_ps"]);
    }
}

TEST(ReferenceSwitchRun, ProtocolCheckersAreContent)
{
    for (const char* const algorithm : {"ring", "nvls"}) {
        RunSetup setup = dgx(algorithm, all("reference_switch"));
        setup.options.check_protocol = true;
        const Json result = weft::testing::run(setup);
        EXPECT_EQ(result.value("exit_code", -1), 0) << algorithm;
    }
}

// A slower clock, a longer pipeline and a slower output are later results.
TEST(ReferenceSwitchRun, ParametersMoveTheTime)
{
    const auto time = [](const std::string& set) {
        return weft::testing::run(dgx("ring", all("reference_switch")).with(set))["simulated_ps"].get<std::uint64_t>();
    };
    const std::uint64_t base = time("switch.latency=100 ns");
    EXPECT_GT(time("switch.latency=150 ns"), base);
    EXPECT_GT(time("switch.clock=2 ns"), base);
    EXPECT_GT(time("switch.traversal=5 ns"), base);
}

// The document and the profile as they are: buffers of links are sized for their round trip.
TEST(ReferenceSwitchRun, LinksNeedNothingStated)
{
    const Json result = weft::testing::run(dgx("ring", all("switch"), "64 KiB").with("link.model=reference_link"));
    EXPECT_EQ(result.value("verified", ""), "passed") << result.dump();
    unsigned links = 0;
    for (const Json& module : result["modules"]) {
        if (module["kind"] != "link") continue;
        ++links;
        EXPECT_EQ(module["model"], "reference_link");
        const Json& stats = module["stats"];
        EXPECT_EQ(stats["forward_packets"]["value"], stats["forward_lines"]["value"]);
        EXPECT_EQ(stats["forward_credits_told"]["value"], stats["backward_lines"]["value"]);
        EXPECT_GT(stats["forward_control_packets"]["value"], 0);
    }
    EXPECT_EQ(links, 32U);
    for (const Json& link : result["links"]) EXPECT_EQ(link.value("replays", -1), 0) << link.dump();
    const Json refused = weft::testing::run(
        dgx("ring", all("switch")).with("link.model=reference_link").with("link.request_credits=5000"));
    EXPECT_NE(refused.dump().find("link.request_credits and link.response_credits up to 4095"), std::string::npos)
        << refused.dump();
}

// Its rate is that of the simulation: what building blocks takes before counts for nothing.
TEST(Progress, CountsFromTheStartOfTheSimulation)
{
    ProgressLine line(false, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double built = line.seconds();
    EXPECT_GE(built, 0.1);
    line.restart();
    EXPECT_LT(line.seconds(), built);
}

TEST_F(RtlRun, EveryLinkAsRtlIsItsReferenceToThePicosecond)
{
    const RunSetup setup = box("one_shot", all("switch"));
    const std::string device = test::thorough() ? "dgx" : "box";
    const Json reference = weft::testing::run(setup.with("link.model=reference_link"));
    const Json rtl = weft::testing::run(setup.with("link.model=rtl_link"), 400);
    EXPECT_EQ(rtl.value("verified", ""), "passed") << rtl.dump();
    EXPECT_EQ(without_models(rtl), without_models(reference));
    const Json both = weft::testing::run(setup.with(device + ".0.nvsw.1~*.link.model=link_lockstep")
                                             .with(device + ".0.nvsw.1~*.link.bit_error_rate=1e-6"),
        400);
    EXPECT_EQ(both.value("exit_code", -1), 0) << both.dump();
    EXPECT_EQ(both.value("verified", ""), "passed");
}

TEST_F(RtlRun, EverySwitchAsRtlIsTheReferenceToThePicosecond)
{
    for (const char* const algorithm : {"ring", "nvls"}) {
        const auto with = [algorithm](const std::string& model) { return box(algorithm, all(model)); };
        const Json reference = weft::testing::run(with("reference_switch"));
        const Json rtl = weft::testing::run(with("rtl_switch"), 400);
        EXPECT_EQ(rtl.value("verified", ""), "passed");
        EXPECT_EQ(without_models(rtl), without_models(reference)) << algorithm;
    }
}

TEST_F(RtlRun, LockstepFindsNothing)
{
    for (const char* const algorithm : {"ring", "nvls"}) {
        const Json result = weft::testing::run(dgx(algorithm, all("switch_lockstep")), 400);
        EXPECT_EQ(result.value("exit_code", -1), 0) << result.dump();
        EXPECT_EQ(result.value("verified", ""), "passed");
    }
}

// Registers that no reset sets begin with bits from the run's seed; nothing of a block may depend on them.
TEST_F(RtlRun, NoBlockDependsOnBitsBeforeReset)
{
    RunSetup setup = dgx("nvls", all("rtl_switch"), "8 KiB")
                         .with("link.model=rtl_link")
                         .with("link.request_credits=64")
                         .with("link.response_credits=64");
    const Json one = weft::testing::run(setup, 400);
    EXPECT_EQ(one.value("verified", ""), "passed") << one.dump();
    for (const char* const seed : {"2", "77", "123456"}) {
        RunSetup again = setup;
        again.lines += std::string("seed: ") + seed + "\n";
        Json other = weft::testing::run(again, 400);
        other["seed"] = one["seed"];
        EXPECT_EQ(without_models(other), without_models(one)) << seed;
    }
}

TEST_F(RtlRun, AnySubsetMayBeRtl)
{
    const Json reference = weft::testing::run(dgx("ring", all("reference_switch")));
    const Json one =
        weft::testing::run(dgx("ring", all("reference_switch") + ", {nodes: \"*.nvsw.1\", model: rtl_switch}"), 400);
    EXPECT_EQ(without_models(one), without_models(reference));
    // Between models that are no reference models, too.
    const Json mixed = weft::testing::run(dgx("nvls", "{nodes: \"*.nvsw.2\", model: rtl_switch}"), 400);
    EXPECT_EQ(mixed.value("verified", ""), "passed");
}

TEST_F(RtlRun, TheSharedDocumentRunsWithEverySwitchAsRtl)
{
    if (!has_shared()) GTEST_SKIP() << "no shared documents";
    for (const char* const algorithm : {"ring", "nvls"}) {
        RunSetup setup = dgx(algorithm, all("reference_switch"), "64 KiB");
        setup.document = shared_document("device_dgx_h100");
        const Json reference = weft::testing::run(setup);
        setup.lines.replace(setup.lines.find("reference_switch"), std::string("reference_switch").size(), "rtl_switch");
        const Json rtl = weft::testing::run(setup, 400);
        EXPECT_EQ(rtl.value("verified", ""), "passed");
        EXPECT_EQ(without_models(rtl), without_models(reference)) << algorithm;
        std::printf("%s: %llu ps\n", algorithm,
            static_cast<unsigned long long>(rtl["simulated_ps"].get<std::uint64_t>()));
    }
}

}  // namespace rtl_run_test
