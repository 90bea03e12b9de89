// Critical paths, timelines and bytes per link of whole runs.
#include <gtest/gtest.h>

#include "testbenches/platform/runs.h"

namespace critical_path_test {

using namespace weft;
using namespace weft::testing;

namespace {

RunSetup followed(const std::string& document, const std::string& op, const std::string& algorithm,
    const std::string& bytes)
{
    RunSetup setup;
    setup.document = document;
    setup.lines = "profile: generic\n" + collective_lines(op, algorithm, bytes);
    setup.sets = {"engine.channels=4"};
    setup.options.follow = true;
    setup.options.data_on = false;
    return setup;
}

std::uint64_t cause(const Json& result, const std::string& name)
{
    return result["critical_paths"][0]["times_ps"][name].get<std::uint64_t>();
}

}  // namespace

TEST(TracedRun, CausesAddUpAndNoTimeChanges)
{
    for (const char* algorithm : {"ring", "direct"}) {
        RunSetup setup = followed(star_document(4), "all_reduce", algorithm, "100000");
        const Json result = run(setup);
        ASSERT_TRUE(result.contains("critical_paths")) << result.dump().substr(0, 300);
        std::uint64_t sum = 0;
        for (const auto& [name, time] : result["critical_paths"][0]["times_ps"].items())
            sum += time.get<std::uint64_t>();
        EXPECT_EQ(sum, result["simulated_ps"].get<std::uint64_t>());
        setup.options.follow = false;
        const Json plain = run(setup);
        EXPECT_EQ(plain["simulated_ps"], result["simulated_ps"]);
        EXPECT_EQ(plain["ranks"], result["ranks"]);
        EXPECT_FALSE(plain.contains("critical_paths"));
    }
}

TEST(TracedRun, FewCreditsAreCredits)
{
    const RunSetup setup = followed(mesh_document(2), "all_gather", "direct", "1 MiB");
    const Json many = run(setup.with("link.request_credits=4096"));
    const Json few = run(setup.with("link.request_credits=4"));
    ASSERT_FALSE(many.contains("refused") || few.contains("refused"))
        << many.dump().substr(0, 200) << few.dump().substr(0, 200);
    EXPECT_GT(few["simulated_ps"].get<std::uint64_t>(), many["simulated_ps"].get<std::uint64_t>());
    EXPECT_GT(cause(few, "credits"), few["simulated_ps"].get<std::uint64_t>() / 3);
    EXPECT_LT(cause(many, "credits"), many["simulated_ps"].get<std::uint64_t>() / 20);
}

// A port with lines and credits is never without one, however many it has.
TEST(TracedRun, MoreCreditsThanARunUsesChangeNoCause)
{
    RunSetup setup = followed(star_document(4), "all_reduce", "direct", "1 MiB");
    setup.sets.push_back("link.response_credits=65535");
    setup.options.watch = true;
    const Json enough = run(setup.with("link.request_credits=400"));
    const Json more = run(setup.with("link.request_credits=65535"));
    ASSERT_FALSE(enough.contains("refused") || more.contains("refused"))
        << enough.dump().substr(0, 200) << more.dump().substr(0, 200);
    EXPECT_EQ(cause(enough, "credits"), 0u);
    for (const Json& link : enough["links"])
        for (const Json& channel : link["channels"]) EXPECT_EQ(channel["credit_stall_ps"], 0);
    EXPECT_EQ(enough["critical_paths"], more["critical_paths"]);
    const Json few = run(setup.with("link.request_credits=200"));
    EXPECT_GT(cause(few, "credits"), 0u);
}

TEST(TracedRun, ALateRankIsEntryAndNotLaunch)
{
    RunSetup setup = followed(star_document(4), "all_reduce", "direct", "64 KiB");
    setup.sets.push_back("gpu.launch_latency=1us");
    const Json at_once = run(setup);
    EXPECT_EQ(cause(at_once, "entry"), 0U);
    EXPECT_EQ(cause(at_once, "launch"), 1'000'000U);
    setup.lines = "profile: generic\n" + collective_lines("all_reduce", "direct", "64 KiB", "delay: {2: 20 us}");
    const Json late = run(setup);
    ASSERT_FALSE(late.contains("refused")) << late.dump().substr(0, 200);
    EXPECT_EQ(cause(late, "entry"), 20'000'000U);
    EXPECT_EQ(cause(late, "launch"), 1'000'000U);
    const Json& first = late["critical_paths"][0]["segments"][0];
    EXPECT_EQ(first["rank"], 2);
    EXPECT_EQ(first["times_ps"], (Json{{"entry", 20'000'000}}));
}

// Lists of copy engines are on the path as workgroups are, and have causes.
TEST(TracedRun, CopyEnginesHaveAPathAndCauses)
{
    RunSetup setup = followed(star_document(4), "all_gather", "direct", "64 KiB");
    setup.sets.push_back("engine.mover=copy_engine");
    const Json quick = run(setup.with("copy.start=1us"));
    const Json slow = run(setup.with("copy.start=2us"));
    ASSERT_TRUE(quick.contains("critical_paths")) << quick.dump().substr(0, 300);
    const auto simulated = quick["simulated_ps"].get<std::uint64_t>();
    std::uint64_t path = 0;
    std::uint64_t end = 0;
    for (const Json& segment : quick["critical_paths"][0]["segments"]) {
        EXPECT_EQ(segment["begin_ps"], end);
        end = segment["end_ps"].get<std::uint64_t>();
        for (const auto& [name, time] : segment["times_ps"].items()) path += time.get<std::uint64_t>();
    }
    EXPECT_EQ(end, simulated);
    EXPECT_EQ(path, simulated);
    // Starts are on the path, and nothing else changes.
    EXPECT_EQ(cause(slow, "compute_units") - cause(quick, "compute_units"),
        slow["simulated_ps"].get<std::uint64_t>() - simulated);
    for (const Json& rank : quick["ranks"]) {
        std::uint64_t life = 0;
        for (const auto& [name, time] : rank["stall_ps"].items()) life += time.get<std::uint64_t>();
        EXPECT_GT(rank["stall_ps"]["busy"].get<std::uint64_t>(), 1'000'000U);
        EXPECT_GT(rank["stall_ps"]["flag"].get<std::uint64_t>(), 0U);
        EXPECT_LE(life, simulated);
        EXPECT_GT(life, simulated / 2);
    }
    setup.options.follow = false;
    EXPECT_EQ(run(setup.with("copy.start=1us"))["simulated_ps"].get<std::uint64_t>(), simulated);
}

TEST(TracedRun, EveryCollectiveOfARunHasItsOwn)
{
    RunSetup setup = followed(mesh_document(2), "barrier", "direct", "0");
    setup.lines = "profile: generic\n" + collective_lines("barrier", "direct", "0");
    const Json result = run(setup);
    ASSERT_EQ(result["critical_paths"].size(), 1U);
    EXPECT_EQ(result["critical_paths"][0]["collective"], 0);
}

TEST(TracedRun, TheTimelineIsATraceThatEndsWithTheRun)
{
    const std::string text =
        in_timed_child([] { return run_here(followed(star_document(3), "all_reduce", "ring", "30000")).timeline; }, 60);
    const Json trace = Json::parse(text);
    double last = 0;
    std::size_t steps = 0;
    double path = 0;
    for (const Json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        last = std::max(last, event["ts"].get<double>() + event["dur"].get<double>());
        if (event["pid"] == 0) {
            path += event["dur"].get<double>();
        } else {
            ++steps;
        }
    }
    EXPECT_GT(steps, 3U * 4U * 10U);
    EXPECT_NEAR(path, last, 1e-6);
    EXPECT_EQ(text,
        in_timed_child([] { return run_here(followed(star_document(3), "all_reduce", "ring", "30000")).timeline; },
            60));
}

// Without flags links carry what the schedule says, line for line where equal paths divide evenly.
TEST(LinkPayload, IsThatOfTheSchedulePlusFlags)
{
    RunSetup setup = followed(star_document(4), "all_reduce", "ring", "65536");
    setup.options.follow = false;
    const Json result = run(setup);
    for (const Json& link : result["links"]) {
        const double flags = 6 * 4 * 8;  // 2 (n - 1) steps of four channels
        EXPECT_EQ(link["payload_bytes"].get<double>(), link["theory_payload_bytes"].get<double>() + flags);
        EXPECT_EQ(link["theory_payload_bytes"].get<double>(), 2 * 65536 * 3 / 4.0);
    }
}

}  // namespace critical_path_test
