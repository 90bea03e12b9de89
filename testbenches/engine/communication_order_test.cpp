// Which communication nodes start next, where ranks agree: by hand, and that no order of coming leaves any over.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "collectives/engine/traces/communication_order.h"

namespace communication_order_test {

using namespace weft;

namespace {

using Rule = CommunicationOrder::Rule;
using Members = CommunicationOrder::Members;

// "0:1 1:1" = node 1 of ranks 0 and 1.
std::string started(CommunicationOrder& order)
{
    std::string text;
    for (const CommunicationOrder::Start& start : order.start())
        text += (text.empty() ? "" : " ") + std::to_string(start.rank) + ":" + std::to_string(start.node);
    return text;
}

CommunicationOrder::Kind kind(std::int64_t priority, std::uint64_t bytes = 64) { return {0, bytes, priority}; }

const Members both = {0, 1};

void add_at_both(CommunicationOrder& order, std::uint64_t node, const CommunicationOrder::Kind& what)
{
    for (const std::uint32_t rank : both) order.add(rank, node, both, what);
}

void release_both(CommunicationOrder& order)
{
    for (const std::uint32_t rank : both) order.release(rank);
}

}  // namespace

TEST(CommunicationOrder, TheHighestPriorityFirstAndEqualOnesAsTheyCame)
{
    CommunicationOrder order(Rule::priority, 2, 1);
    add_at_both(order, 1, kind(-3, 1));
    add_at_both(order, 2, kind(5, 2));
    add_at_both(order, 3, kind(7, 3));
    add_at_both(order, 4, kind(5, 4));
    for (const char* expected : {"0:3 1:3", "0:2 1:2", "0:4 1:4", "0:1 1:1", ""}) {
        EXPECT_EQ(started(order), expected);
        EXPECT_EQ(started(order), "");  // no place
        release_both(order);
    }
}

// Rank 0 comes first to the one of group 1, rank 1 to the one of group 2.
TEST(CommunicationOrder, GroupsOfTheSameRanksAreMatchedByThemselves)
{
    CommunicationOrder order(Rule::priority, 2, 1);
    const CommunicationOrder::Kind first{0, 64, 0, 1};
    const CommunicationOrder::Kind second{0, 64, 0, 2};
    order.add(0, 1, both, first);
    order.add(1, 2, both, second);
    EXPECT_EQ(started(order), "");
    order.add(1, 1, both, first);
    EXPECT_EQ(started(order), "0:1 1:1");
    order.add(0, 2, both, second);
    release_both(order);
    EXPECT_EQ(started(order), "0:2 1:2");
}

TEST(CommunicationOrder, TheLastComerFirst)
{
    CommunicationOrder order(Rule::lifo, 2, 1);
    for (std::uint64_t node = 1; node <= 3; ++node)
        add_at_both(order, node, kind(static_cast<std::int64_t>(9 - node), node));
    order.add(0, 9);
    for (const char* expected : {"0:9", "0:3 1:3", "0:2 1:2"}) {
        EXPECT_EQ(started(order), expected);
        order.release(0);
        if (expected != std::string("0:9")) order.release(1);
    }
}

TEST(CommunicationOrder, ACollectiveStartsWhenAllHaveComeToItAndHaveAPlace)
{
    CommunicationOrder order(Rule::priority, 3, 1);
    order.add(0, 1, both, kind(9));
    EXPECT_EQ(started(order), "");
    ASSERT_EQ(order.incomplete().size(), 1u);
    EXPECT_EQ(order.incomplete()[0].missing, Members{1});
    EXPECT_EQ(order.incomplete()[0].here, Members{0});
    // Rank 0 holds no place meanwhile.
    order.add(0, 2);
    EXPECT_EQ(started(order), "0:2");
    order.add(1, 5, both, kind(9));
    EXPECT_TRUE(order.incomplete().empty());
    EXPECT_EQ(started(order), "");
    order.release(0);
    EXPECT_EQ(started(order), "0:1 1:5");
}

TEST(CommunicationOrder, MembersThatComeInAnotherOrderMeetByKind)
{
    CommunicationOrder order(Rule::priority, 2, 1);
    order.add(0, 1, both, kind(0, 64));
    order.add(0, 2, both, kind(0, 128));
    order.add(1, 7, both, kind(0, 128));
    EXPECT_EQ(started(order), "0:2 1:7");
    order.add(1, 8, both, kind(0, 64));
    release_both(order);
    EXPECT_EQ(started(order), "0:1 1:8");
}

TEST(CommunicationOrder, PlacesBoundWhatIsInFlight)
{
    CommunicationOrder order(Rule::priority, 2, 2);
    for (std::uint64_t node = 1; node <= 3; ++node) add_at_both(order, node, kind(0, node));
    EXPECT_EQ(started(order), "0:1 1:1 0:2 1:2");
    release_both(order);
    EXPECT_EQ(started(order), "0:3 1:3");
}

// Six ranks, collectives of random groups, to which every rank comes in an order of its own.
TEST(CommunicationOrder, NothingIsLeftOverWhateverTheOrderOfComing)
{
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        CommunicationOrder order(seed % 2 == 0 ? Rule::lifo : Rule::priority, 6, 1 + seed % 3);
        struct Visit {
            std::uint32_t rank;
            std::uint64_t node;
            Members members;
            CommunicationOrder::Kind kind;
        };
        std::vector<Visit> visits;
        for (std::uint64_t node = 0; node < 40; ++node) {
            Members members;
            for (std::uint32_t rank = 0; rank < 6; ++rank)
                if (random() % 2 == 0) members.push_back(rank);
            const CommunicationOrder::Kind what = kind(random() % 3, 1 + random() % 2);
            for (const std::uint32_t rank : members) visits.push_back({rank, node, members, what});
        }
        std::shuffle(visits.begin(), visits.end(), random);
        std::size_t ended = 0;
        std::vector<std::uint32_t> running;
        for (std::size_t next = 0; next < visits.size() || !running.empty();) {
            const bool comes = next < visits.size() && (running.empty() || random() % 2 == 0);
            if (comes) {
                const Visit& visit = visits[next++];
                order.add(visit.rank, visit.node, visit.members, visit.kind);
            } else {
                std::swap(running[random() % running.size()], running.back());
                order.release(running.back());
                running.pop_back();
                ++ended;
            }
            for (const CommunicationOrder::Start& start : order.start()) running.push_back(start.rank);
        }
        EXPECT_EQ(ended, visits.size()) << "seed " << seed;
        EXPECT_TRUE(order.incomplete().empty()) << "seed " << seed;
    }
}

}  // namespace communication_order_test
