// Turns where transfers spread over several groups of links: each group is shared by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "collectives/flow/flow_core.h"

namespace flow_turns_test {

using namespace weft;

namespace {

constexpr std::uint32_t both = 0;  // 0 and 1 send over links A and B, half over each,
constexpr std::uint32_t both_too = 1;
constexpr std::uint32_t one = 2;       // 2 over A alone,
constexpr std::uint32_t receiver = 3;  // all to 3, each first by a link of its own.
constexpr std::uint32_t link_a = 3;
constexpr std::uint32_t link_b = 4;

// Links of 10 ps/B, so half of 1000 B takes A and B for 5 ns, and all of them A for 10 ns. Own links pass 1000 B in 1 ns.
class Crossing {
public:
    explicit Crossing(double rate_of_b = 10)
    {
        CostLink link;
        link.buffer = 1e6;
        link.ps_per_byte = 1;
        links_.assign(5, link);
        links_[link_a].ps_per_byte = 10;
        links_[link_b].ps_per_byte = rate_of_b;
    }

    // `count` transfers of 1000 B at once.
    void send(std::uint32_t from, int count)
    {
        for (int i = 0; i < count; ++i)
            core_.transfer(from, receiver, 1000, true, [this, from] { ends_[from].push_back(core_.now()); });
    }
    void send_later(std::uint64_t at, std::uint32_t from, int count)
    {
        core_.after(at, [this, from, count] { send(from, count); });
    }
    std::uint64_t last(std::uint32_t from) const { return ends_[from].back(); }
    std::size_t run()
    {
        core_.run();
        return ends_[both].size() + ends_[both_too].size() + ends_[one].size();
    }

private:
    static CostPath way(std::uint32_t from, std::uint32_t)
    {
        CostPath out;
        out.neighbours = true;
        out.stages.push_back({0, {{from, 1}}});
        if (from == one)
            out.stages.push_back({0, {{link_a, 1}}});
        else
            out.stages.push_back({0, {{link_a, 0.5}, {link_b, 0.5}}});
        return out;
    }
    static FlowProfile turns()
    {
        FlowProfile out;
        out.links.turns = true;
        return out;
    }

    std::vector<CostLink> links_;
    PathBook book_{links_, way};
    FlowCore core_{{}, book_, turns()};
    std::vector<std::uint64_t> ends_[receiver];
};

}  // namespace

// On A each gets as many bytes as the other: 8 x 500 B of who has both links end with 4 x 1000 B of the other. Those with more
// paths once took the wire ahead: 40 ns, as if they were alone.
TEST(FlowTurns, WhoHasMorePathsGetsNoMoreOfTheLinkThatBothUse)
{
    Crossing crossing;
    crossing.send(both, 8);
    crossing.send(one, 8);
    ASSERT_EQ(crossing.run(), 16U);
    EXPECT_EQ(crossing.last(both), 80'000U);
    EXPECT_EQ(crossing.last(one), 120'000U);
}

// The same with the other path made first, so that the one over both links has two groups from the beginning.
TEST(FlowTurns, ItDoesNotMatterWhichPathIsMadeFirst)
{
    Crossing crossing;
    crossing.send(one, 8);
    crossing.send(both, 8);
    ASSERT_EQ(crossing.run(), 16U);
    EXPECT_EQ(crossing.last(both), 90'000U) << "their first turn was 10 ns later";
    EXPECT_EQ(crossing.last(one), 120'000U);
}

// Its turn is the second one. It once ended behind all others, at 50 ns.
TEST(FlowTurns, ALoneTransferIsNotPutOffByThoseWithMorePaths)
{
    Crossing crossing;
    crossing.send(both, 8);
    crossing.send(one, 1);
    ASSERT_EQ(crossing.run(), 9U);
    EXPECT_EQ(crossing.last(one), 15'000U);
    EXPECT_EQ(crossing.last(both), 50'000U);
}

// A and B are one group until the third sender begins: what waits for both then goes on waiting for each. The first turn behind
// that is the newcomer's.
TEST(FlowTurns, WhatWaitsWhenItsLinksAreSplitKeepsItsTurns)
{
    Crossing crossing;
    crossing.send(both, 4);
    crossing.send(both_too, 4);
    crossing.send_later(12'000, one, 1);
    ASSERT_EQ(crossing.run(), 9U);
    EXPECT_EQ(crossing.last(one), 25'000U);
    EXPECT_EQ(std::max(crossing.last(both), crossing.last(both_too)), 50'000U);
    EXPECT_EQ(std::min(crossing.last(both), crossing.last(both_too)), 45'000U);
}

// Two groups of links that all pass together, B of half the rate: the order of arrival, as ever.
TEST(FlowTurns, LinksThatAllPassTogetherKeepTheOrderOfArrival)
{
    Crossing crossing(20);
    crossing.send(both, 4);
    crossing.send(both_too, 4);
    ASSERT_EQ(crossing.run(), 8U);
    EXPECT_EQ(crossing.last(both), 70'000U);
    EXPECT_EQ(crossing.last(both_too), 80'000U);
}

}  // namespace flow_turns_test
