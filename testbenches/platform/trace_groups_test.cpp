// Groups of a trace are communicators: collectives meet those of their group, whatever its ranks.
#include <gtest/gtest.h>

#include "testbenches/chakra/trace_writer.h"
#include "testbenches/platform/runs.h"

namespace trace_groups_test {

using namespace weft;
using namespace weft::testing;
using namespace weft::chakra::testing;

namespace {

constexpr int all_reduce = 0;
constexpr int all_gather = 2;
constexpr std::uint64_t us = 1'000'000;
const char* const same = R"({"1": [0, 1], "2": [0, 1]})";
const char* const permuted = R"({"1": [0, 1], "2": [1, 0]})";

using Ranks = std::vector<std::vector<std::string>>;
using Sets = std::vector<std::string>;

RunSetup setup_of(const Folder& folder, const Ranks& ranks, const std::string& groups, const Sets& sets)
{
    RunSetup setup;
    setup.document = mesh_document(2);
    setup.lines = "profile: generic\n" +
        trace_lines(folder.write_set(ranks), "groups: \"" + folder.write("groups.json", groups) + "\"");
    setup.sets = {"gpu.wait_policy=waiting_atomic", "engine.channels=4", "engine.communication_in_flight=2"};
    setup.sets.insert(setup.sets.end(), sets.begin(), sets.end());
    return setup;
}

Json run_trace(const Ranks& ranks, const std::string& groups = same, const Sets& sets = {})
{
    const Folder folder;
    return run(setup_of(folder, ranks, groups, sets));
}

std::uint64_t time_of(const Ranks& ranks, const std::string& groups = same, const Sets& sets = {})
{
    const Json result = run_trace(ranks, groups, sets);
    EXPECT_EQ(result.value("stop", ""), "finished") << result.dump().substr(0, 400);
    EXPECT_EQ(result.value("verified", ""), "passed");
    return result.value("simulated_ps", std::uint64_t{0});
}

NodeText on_cpu(std::uint64_t id, std::uint64_t micros) { return comp(id, micros).flag("is_cpu_op", true); }

// Rank 0 comes to the first group after 1 us and to the second after 50, rank 1 the other way round; 100 us of rank 0 follow the first.
Ranks crosswise(const std::string& first, const std::string& second, int second_type = all_reduce)
{
    return {{comp(1, 1), collective(2, all_reduce, 4096, first).data({1}), on_cpu(3, 50),
                collective(4, second_type, 4096, second).data({3}), comp(5, 100).data({2})},
        {comp(1, 50), collective(2, all_reduce, 4096, first).data({1}), on_cpu(3, 1),
            collective(4, second_type, 4096, second).data({3})}};
}

}  // namespace

TEST(TraceGroups, OfTheSameRanksAreCommunicatorsOfTheirOwn)
{
    // Nobody can have passed the first before both ranks are there, at 50 us.
    const std::uint64_t own = time_of(crosswise("1", "2"));
    EXPECT_GT(own, 150 * us);
    EXPECT_LT(own, 160 * us);
    EXPECT_EQ(own, time_of(crosswise("1", "2"), permuted));
    // The default group is neither of them, by whichever of its names.
    EXPECT_EQ(own, time_of(crosswise("1", "")));
    EXPECT_EQ(own, time_of(crosswise("", "2")));
    EXPECT_LT(time_of(crosswise("", "0")), 120 * us);
    EXPECT_LT(time_of(crosswise("1", "1")), 120 * us);
}

TEST(TraceGroups, OfTheSameRanksAreCommunicatorsWhereRanksAgreeOnAnOrder)
{
    for (const char* order : {"lifo", "priority"}) {
        const Sets sets{std::string("engine.collective_order=") + order};
        // Which positions of a ring the ranks have changes some ns.
        EXPECT_GT(time_of(crosswise("1", "2"), same, sets), 150 * us) << order;
        EXPECT_NEAR(time_of(crosswise("1", "2"), same, sets), time_of(crosswise("1", "2"), permuted, sets), 0.1 * us)
            << order;
    }
}

TEST(TraceGroups, OfTheSameRanksMayIssueDifferentCollectivesAtTheSameTime)
{
    EXPECT_GT(time_of(crosswise("1", "2", all_gather)), 150 * us);
    const std::string mixed = run_trace(crosswise("1", "1", all_gather)).value("refused", "");
    EXPECT_NE(mixed.find("is number 1 of group 1, but another rank issued"), std::string::npos) << mixed;
}

TEST(TraceGroups, IssuedInOppositeOrdersTheyDeadlock)
{
    const auto visit = [](std::uint64_t id, const char* group) { return collective(id, all_reduce, 4096, group); };
    const Json result = run_trace({{visit(1, "1"), visit(2, "2").data({1})}, {visit(1, "2"), visit(2, "1").data({1})}});
    EXPECT_EQ(result.value("stop", ""), "deadlock") << result.dump().substr(0, 300);
    EXPECT_EQ(result["exit_code"], 3);
    const std::string text = result["blocked"].dump();
    EXPECT_NE(text.find("ALL_REDUCE (number 1 of group 1): rank 1 did not reach it; rank 0 waits in it"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("ALL_REDUCE (number 1 of group 2): rank 0 did not reach it; rank 1 waits in it"),
        std::string::npos)
        << text;
}

}  // namespace trace_groups_test
