// Which collectives of two traces are compared with each other.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "testbenches/commands/comparing.h"

namespace compare_collectives_test {

using namespace weft::commands_test;
using nlohmann::json;

namespace {

// `bytes` among `members` of a group from `start` to `end`, ns.
json collective(const std::string& op, const std::string& group, const std::string& members, long bytes, long start,
    long end, const std::string& name = "n")
{
    json out{{"op", op}, {"algorithm", "ring"}, {"protocol", "simple"}, {"name", name}, {"ranks", 2}, {"bytes", bytes},
        {"finished", true}, {"start_ps", start * 1000}, {"end_ps", end * 1000}, {"algbw_GBps", 1}, {"busbw_GBps", 1}};
    if (group.empty()) return out;
    out["group"] = group;
    out["members"] = members;
    return out;
}

json result(const std::vector<json>& collectives)
{
    json out;
    out["schema"] = "weft.result/1";
    out["stop"] = "finished";
    out["verified"] = "passed";
    out["simulated_ps"] = 9000000;
    out["seed"] = 1;
    out["lines"] = out["line_hops"] = 0;
    out["system"] = {{"name", "two"}, {"endpoints", 4}, {"nodes", 4}, {"links", 1}, {"switches", 0}};
    out["collectives"] = collectives;
    out["ranks"] = out["links"] = out["modules"] = json::array();
    out["parameters"] = json::object();
    return out;
}

const json reduce = collective("all_reduce", "1", "0 1", 4096, 0, 1000);
const json scatter = collective("reduce_scatter", "2", "2 3", 4096, 0, 2000);

}  // namespace

TEST(CompareCollectives, AnotherOrderOfStartIsNoDifference)
{
    const auto comparison = compared(result({reduce, scatter}), result({scatter, reduce}));
    EXPECT_EQ(changes(comparison), std::vector<std::string>{});
    EXPECT_TRUE(comparison.notices.empty());
}

TEST(CompareCollectives, GroupsRanksAndTheOrderInAGroupTellEqualOnesApart)
{
    const json other_group = collective("all_reduce", "2", "0 1", 4096, 0, 3000);
    const json other_ranks = collective("all_reduce", "1", "2 3", 4096, 0, 5000);
    const json second = collective("all_reduce", "1", "0 1", 4096, 1000, 1500);
    const auto comparison = compared(result({reduce, other_group, other_ranks, second}),
        result({other_ranks, other_group, reduce, second}));
    EXPECT_EQ(changes(comparison), std::vector<std::string>{});
    // The first of a group with the first, the second with the second.
    const json late = collective("all_reduce", "1", "0 1", 4096, 1000, 2000);
    EXPECT_EQ(changes(compared(result({reduce, second}), result({reduce, late}))),
        std::vector<std::string>{"times.collective.1.time 100.0"});
}

TEST(CompareCollectives, NamesAndSizesComeFirst)
{
    const json small = collective("all_reduce", "1", "0 1", 1024, 0, 1000, "a");
    const json large = collective("all_reduce", "1", "0 1", 4096, 0, 1000, "b");
    EXPECT_EQ(changes(compared(result({small, large}), result({large, small}))), std::vector<std::string>{});
    // Of another size, but the only one that is left.
    EXPECT_EQ(changes(compared(result({small, reduce}), result({reduce, large}))),
        std::vector<std::string>{"setup.collective.0.bytes 300.0"});
}

TEST(CompareCollectives, ThoseWithoutAPartnerAreTold)
{
    const json more = collective("all_gather", "3", "0-3", 8192, 0, 4000);
    const auto comparison = compared(result({reduce, scatter}), result({more, reduce}));
    EXPECT_EQ(comparison.notices,
        (std::vector<std::string>{
            "a collective of a.json has no partner in b.json: 1 (reduce_scatter n, group 2, ranks 2 3, 4096 B)",
            "a collective of b.json has no partner in a.json: 0 (all_gather n, group 3, ranks 0-3, 8192 B)"}));
    const std::vector<std::string> found = changes(comparison);
    EXPECT_EQ(std::count(found.begin(), found.end(), "times.collective.1.time null"), 1);
    EXPECT_EQ(std::count(found.begin(), found.end(), "times.collective.B.0.time null"), 1);
    for (const std::string& name : found) EXPECT_EQ(name.find("collective.0."), std::string::npos) << name;
}

// Results of earlier versions say nothing of groups.
TEST(CompareCollectives, WithoutGroupsTheOrderOfStartCounts)
{
    const json old = collective("all_reduce", "", "", 4096, 0, 1000);
    const json old_scatter = collective("reduce_scatter", "", "", 4096, 0, 2000);
    const auto comparison = compared(result({old, old_scatter}), result({scatter, reduce}));
    EXPECT_EQ(comparison.notices,
        std::vector<std::string>{"collectives are compared in the order in which they started: a.json does not say "
                                 "which groups they are of"});
    const std::vector<std::string> found = changes(comparison);
    EXPECT_EQ(std::count(found.begin(), found.end(), "times.collective.0.time 100.0"), 1);
    EXPECT_TRUE(compared(result({old, old_scatter}), result({old, old_scatter})).notices.empty());
}

}  // namespace compare_collectives_test
