// Operations on groups over two tiers of switches: times to the picosecond, bytes of every link, order of combination, little
// room, contributions that are lost.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "base/diagnostic.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/group_tree.h"

namespace group_tiers_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Links and switches whose times are all different, so that a formula that takes one for another fails.
TreeSpec uneven_times()
{
    TreeSpec spec;
    spec.member.bandwidth = 25'000'000'000;  // 40 ps/B
    spec.member.latency = 70'000;
    spec.trunk.bandwidth = 100'000'000'000;  // 10 ps/B
    spec.trunk.latency = 31'000;
    spec.leaf.latency = 101'000;
    spec.leaf.reduce_rate = 64'000'000'000;  // 1 ns for an operand
    spec.spine.latency = 203'000;
    spec.spine.reduce_rate = 32'000'000'000;  // 2 ns
    return spec;
}

Time on_member(const TreeSpec& spec, std::uint64_t bytes) { return bytes * 40 + spec.member.latency; }
Time on_trunk(const TreeSpec& spec, std::uint64_t bytes) { return bytes * 10 + spec.trunk.latency; }

// Sums that depend on the order of their terms.
float term(unsigned member, std::uint64_t line, unsigned element)
{
    const float large[] = {1e8F, 1.0F, -1e8F, 3.25F, 7e7F, -0.5F, 2.0F, -7e7F};
    return large[(member + line) % 8] * static_cast<float>(1 + element % 5);
}

void fill_tree(GroupTree& tree, std::uint64_t lines)
{
    for (unsigned m = 0; m < tree.members.size(); ++m)
        for (std::uint64_t l = 0; l < lines; ++l)
            for (unsigned e = 0; e < 16; ++e) tree.members[m]->memory(64 * l)[e] = term(m, l, e);
}

// Each leaf in the order of its members, then the leaves in the order of their first ones.
float leaf_by_leaf(const std::vector<std::vector<unsigned>>& leaves, std::uint64_t line, unsigned element)
{
    float total = 0;
    for (std::size_t l = 0; l < leaves.size(); ++l) {
        float sum = term(leaves[l][0], line, element);
        for (std::size_t m = 1; m < leaves[l].size(); ++m) sum += term(leaves[l][m], line, element);
        total = l == 0 ? sum : total + sum;
    }
    return total;
}

bool equal_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

unsigned wrong_sums(GroupTree& tree, const std::vector<std::vector<unsigned>>& leaves, std::uint64_t lines)
{
    unsigned wrong = 0;
    for (const auto& member : tree.members)
        for (std::uint64_t l = 0; l < lines; ++l)
            for (unsigned e = 0; e < 16; ++e)
                wrong += equal_bits(member->memory(64 * l)[e], leaf_by_leaf(leaves, l, e)) ? 0 : 1;
    return wrong;
}

}  // namespace

TEST(GroupTiers, APushAtZeroLoadIsTheSumOfItsPartsThroughBothTiers)
{
    const TreeSpec spec = uneven_times();
    GroupTree tree(spec);
    tree.group_of_all();
    fill_tree(tree, 1);
    for (const auto& member : tree.members) member->issue(0, LineOp::reduce, first_group, 0);
    tree.finish();
    const Time up =
        on_member(spec, 80) + spec.leaf.latency + 2 * 1'000 + on_trunk(spec, 80) + spec.spine.latency + 2 * 2'000;
    const Time down = on_trunk(spec, 80) + spec.leaf.latency + on_member(spec, 80);
    // Acknowledges of members to the leaf, of leaves to the spine; the spine answers leaves, leaves members.
    const Time acknowledged = on_member(spec, 16) + spec.leaf.latency + on_trunk(spec, 16) + spec.spine.latency;
    const Time answered = on_trunk(spec, 16) + spec.leaf.latency + on_member(spec, 16);
    for (const auto& member : tree.members) {
        ASSERT_EQ(member->answers.size(), 1u);
        EXPECT_EQ(member->answers[0].at, up + down + acknowledged + answered);
    }
    EXPECT_EQ(wrong_sums(tree, {{0, 1}, {2, 3}}, 1), 0u);
}

TEST(GroupTiers, AMulticastAtZeroLoadIsAStoreThroughBothTiers)
{
    const TreeSpec spec = uneven_times();
    GroupTree tree(spec);
    tree.group_of_all();
    tree.members[3]->memory(64)[5] = 42;
    tree.members[3]->issue(0, LineOp::multicast, first_group, 64);
    tree.finish();
    const auto way = [&](std::uint64_t bytes) {
        return 2 * (on_member(spec, bytes) + spec.leaf.latency + on_trunk(spec, bytes)) + spec.spine.latency;
    };
    ASSERT_EQ(tree.members[3]->answers.size(), 1u);
    EXPECT_EQ(tree.members[3]->answers[0].at, way(80) + way(16));
    for (const auto& member : tree.members) EXPECT_EQ(member->memory(64)[5], 42);
}

TEST(GroupTiers, ALoadReduceAtZeroLoadIsALoadThroughBothTiersAndTheirAdders)
{
    const TreeSpec spec = uneven_times();
    GroupTree tree(spec);
    tree.group_of_all();
    fill_tree(tree, 1);
    tree.members[1]->issue(0, LineOp::load_reduce, first_group, 0);
    tree.finish();
    const Time asked = 2 * (on_member(spec, 16) + spec.leaf.latency + on_trunk(spec, 16)) + spec.spine.latency;
    const Time operands =
        on_member(spec, 80) + spec.leaf.latency + 2 * 1'000 + on_trunk(spec, 80) + spec.spine.latency + 2 * 2'000;
    const Time result = on_trunk(spec, 80) + spec.leaf.latency + on_member(spec, 80);
    ASSERT_EQ(tree.members[1]->answers.size(), 1u);
    EXPECT_EQ(tree.members[1]->answers[0].at, asked + operands + result);
    for (unsigned e = 0; e < 16; ++e)
        EXPECT_TRUE(equal_bits(tree.members[1]->answers[0].data[e], leaf_by_leaf({{0, 1}, {2, 3}}, 0, e)));
}

TEST(GroupTiers, TheOrderOfCombinationIsThatOfTheTreeWhateverTheOrderOfArrival)
{
    for (unsigned late = 0; late < 5; ++late)
        EXPECT_EQ(in_child([late] {
            TreeSpec spec;
            spec.members = {3, 2};
            spec.spines = 2;
            GroupTree tree(spec);
            tree.group({4, 1, 3, 0, 2});
            fill_tree(tree, 8);
            for (unsigned m = 0; m < 5; ++m)
                for (std::uint64_t l = 0; l < 8; ++l)
                    tree.members[m]->issue(m == late ? 900'000 : 0, LineOp::reduce, first_group, 64 * l);
            tree.finish();
            return std::to_string(wrong_sums(tree, {{4, 3}, {1, 0, 2}}, 8));
        }),
            "0");
    // Another tree gives other bits, or the test above shows nothing.
    unsigned differ = 0;
    for (std::uint64_t l = 0; l < 8; ++l)
        differ += equal_bits(leaf_by_leaf({{4, 3}, {1, 0, 2}}, l, 0), leaf_by_leaf({{4, 1, 3, 0, 2}}, l, 0)) ? 0 : 1;
    EXPECT_GT(differ, 0u);
}

// S = the message. A member's link carries S up and S down; the links between a leaf and the spines together S up, S down.
TEST(GroupTiers, PushReduceMovesTheMessageOnceOverEveryTierEachWay)
{
    constexpr std::uint64_t lines = 64;
    TreeSpec spec;
    spec.members = {3, 2, 1};
    spec.spines = 2;
    GroupTree tree(spec);
    tree.group_of_all();
    fill_tree(tree, lines);
    for (unsigned m = 0; m < tree.members.size(); ++m)
        for (std::uint64_t l = 0; l < lines; ++l)
            tree.members[m]->issue(m * 1'000, LineOp::reduce, first_group, 64 * ((l + 16 * m) % lines));
    tree.finish();
    EXPECT_EQ(wrong_sums(tree, {{0, 1, 2}, {3, 4}, {5}}, lines), 0u);
    for (const auto& link : tree.member_links)
        for (unsigned d = 0; d < 2; ++d) {
            EXPECT_EQ(link->direction(d).payload_bytes, lines * 64);
            EXPECT_EQ(link->direction(d).wire_bytes, lines * (80 + 16));
        }
    for (const auto& trunks : tree.trunk_links)
        for (const auto& link : trunks)
            for (unsigned d = 0; d < 2; ++d) {
                EXPECT_EQ(link->direction(d).payload_bytes, lines / 2 * 64);
                EXPECT_EQ(link->direction(d).wire_bytes, lines / 2 * (80 + 16));
            }
    for (unsigned l = 0; l < 3; ++l) {
        EXPECT_EQ(statistic_of(*tree.leaves[l], "group_operations"), lines);
        EXPECT_EQ(statistic_of(*tree.leaves[l], "group_raised"), lines);
        EXPECT_EQ(statistic_of(*tree.leaves[l], "group_copies"), lines * spec.members[l]);
    }
    for (const auto& spine : tree.spines) {
        EXPECT_EQ(statistic_of(*spine, "group_operations"), lines / 2);
        EXPECT_EQ(statistic_of(*spine, "group_copies"), lines / 2 * 3);
        EXPECT_EQ(statistic_of(*spine, "adder_busy"), lines / 2 * 3 * 40);
    }
}

// An operation that several contribute to waits once; pushes that have given their context back use none; the adder's time is exact.
TEST(GroupTiers, StatisticsAreOfOperationsAndContexts)
{
    constexpr std::uint64_t lines = 16;
    TreeSpec spec;
    spec.members = {3, 2};
    spec.leaf.group_contexts = spec.spine.group_contexts = 1;
    spec.leaf.reduce_rate = 20'000'000'000'000;  // 3.2 ps a line
    GroupTree tree(spec);
    tree.group_of_all();
    fill_tree(tree, lines);
    for (const auto& member : tree.members)
        for (std::uint64_t l = 0; l < lines; ++l) member->issue(0, LineOp::reduce, first_group, 64 * l);
    tree.finish();
    for (unsigned l = 0; l < 2; ++l) {
        EXPECT_EQ(statistic_of(*tree.leaves[l], "group_operations"), lines);
        EXPECT_EQ(statistic_of(*tree.leaves[l], "group_contexts_peak"), 1);
        EXPECT_EQ(statistic_of(*tree.leaves[l], "adder_busy"), lines * spec.members[l] * 32 / 10);
    }
    EXPECT_GT(statistic_of(*tree.spines[0], "group_waits"), 0);
    EXPECT_LT(statistic_of(*tree.spines[0], "group_waits"), lines);
}

// All-reduce by load_reduce and multicast of one's own share: S (1 + 1/n) at every member; between a leaf of k members
// and the spines S (1 + k/n), up and down.
TEST(GroupTiers, AllReduceByLoadsAndMulticastsMovesWhatTheTreeNeeds)
{
    constexpr std::uint64_t lines = 60;
    TreeSpec spec;
    spec.members = {2, 3};
    GroupTree tree(spec);
    tree.group_of_all();
    fill_tree(tree, lines);
    for (unsigned m = 0; m < 5; ++m) {
        GroupMember& member = *tree.members[m];
        member.on_answer = [&member, &tree](const GroupMember::Answer& answer) {
            if (answer.op != LineOp::load_reduce) return;
            member.memory(answer.local) = answer.data;
            member.issue(tree.event_queue.now(), LineOp::multicast, first_group, answer.local);
        };
        for (std::uint64_t l = m * lines / 5; l < (m + 1) * lines / 5; ++l)
            member.issue(0, LineOp::load_reduce, first_group, 64 * l);
    }
    tree.finish();
    EXPECT_EQ(wrong_sums(tree, {{0, 1}, {2, 3, 4}}, lines), 0u);
    for (unsigned d = 0; d < 2; ++d) {
        for (const auto& link : tree.member_links) {
            EXPECT_EQ(link->direction(d).payload_bytes, 64 * (lines + lines / 5));
            EXPECT_EQ(link->direction(d).wire_bytes, (80 + 16) * (lines + lines / 5));
        }
        for (unsigned l = 0; l < 2; ++l) {
            EXPECT_EQ(tree.trunk_links[l][0]->direction(d).payload_bytes, 64 * (lines + lines * spec.members[l] / 5));
            EXPECT_EQ(tree.trunk_links[l][0]->direction(d).wire_bytes,
                (80 + 16) * (lines + lines * spec.members[l] / 5));
        }
    }
}

TEST(GroupTiers, RoundsAtTheSameAddressFollowOneAnother)
{
    TreeSpec spec;
    spec.members = {2, 1};
    GroupTree tree(spec);
    tree.group_of_all();
    for (const auto& member : tree.members) {
        GroupMember& self = *member;
        self.on_answer = [&self, &tree](const GroupMember::Answer&) {
            if (self.answers.size() < 5) self.issue(tree.event_queue.now(), LineOp::reduce, first_group, 0);
        };
        self.memory(0)[0] = 1;
        self.issue(0, LineOp::reduce, first_group, 0);
    }
    tree.finish();
    // 1, then three times as much in every round.
    for (const auto& member : tree.members) {
        EXPECT_EQ(member->answers.size(), 5u);
        EXPECT_EQ(member->memory(0)[0], 243);
    }
}

TEST(GroupTiers, APostedMulticastIsNotAnsweredAnywhere)
{
    TreeSpec spec;
    GroupTree tree(spec);
    tree.group_of_all();
    for (std::uint64_t l = 0; l < 32; ++l) {
        tree.members[0]->memory(64 * l)[0] = static_cast<float>(l + 1);
        tree.members[0]->issue(0, LineOp::multicast, first_group, 64 * l, true);
    }
    tree.finish();
    EXPECT_TRUE(tree.members[0]->answers.empty());
    for (const auto& member : tree.members)
        for (std::uint64_t l = 0; l < 32; ++l) EXPECT_EQ(member->memory(64 * l)[0], static_cast<float>(l + 1));
    EXPECT_EQ(tree.trunk_links[0][0]->direction(1).wire_bytes, 32u * 80);
    EXPECT_EQ(tree.trunk_links[0][0]->direction(0).wire_bytes, 32u * 80);
}

// One context, one credit, no room for what is on its way: pushes in the same order pass, whatever their skew.
TEST(GroupTiers, PushesInOneOrderPassThroughOneOfEverything)
{
    for (const std::uint64_t places : {1U, 2U, 64U})
        for (const unsigned late : {0U, 2U, 4U})
            EXPECT_EQ(in_child([late, places] {
                TreeSpec spec;
                spec.members = {2, 2, 1};
                spec.member.request_credits = spec.member.response_credits = 1;
                spec.trunk.request_credits = spec.trunk.response_credits = 1;
                spec.leaf.group_contexts = spec.spine.group_contexts = 1;
                spec.leaf.waiting_contributions = spec.spine.waiting_contributions = places;
                GroupTree tree(spec);
                tree.group_of_all();
                fill_tree(tree, 24);
                for (unsigned m = 0; m < 5; ++m)
                    for (std::uint64_t l = 0; l < 24; ++l)
                        tree.members[m]->issue(m == late ? 3'000'000 : 0, LineOp::reduce, first_group, 64 * l);
                tree.finish();
                return std::to_string(wrong_sums(tree, {{0, 1}, {2, 3}, {4}}, 24));
            }),
                "0")
                << places << " places, member " << late << " late";
}

namespace {

// The members of leaf 1 push in reverse. Blocked parts of all switches, or the number of answers.
std::string opposite_leaves(std::uint64_t places)
{
    return in_child([places] {
        TreeSpec spec;
        spec.leaf.group_contexts = 2;
        spec.leaf.waiting_contributions = places;
        GroupTree tree(spec);
        tree.group_of_all();
        for (unsigned m = 0; m < 4; ++m)
            for (std::uint64_t l = 0; l < 8; ++l)
                tree.members[m]->issue(0, LineOp::reduce, first_group, 64 * (m < 2 ? l : 7 - l));
        tree.finish(false);
        std::string out;
        for (const auto* tier : {&tree.leaves, &tree.spines})
            for (const auto& module : *tier)
                for (const std::string& text : module->blocked()) out += text + "\n";
        return out + std::to_string(tree.members[0]->answers.size());
    });
}

}  // namespace

// A leaf holds 2 pushes in its contexts, and further ones whose contributions its store takes. Leaves that push in opposite orders
// meet when one of them holds more than half of all: 2 + 6 / 2 of 8.
TEST(GroupTiers, LeavesInOppositeOrdersNeedRoomForWhatIsOnItsWay)
{
    const std::string blocked = opposite_leaves(5);
    EXPECT_NE(blocked.find("leaf0: reduce at 0x0 of group 0xfc00 waits for the combination of all switches\n"),
        std::string::npos)
        << blocked;
    EXPECT_NE(blocked.find("spine0: reduce at 0x0 of group 0xfc00 waits for the switch of endpoint 2\n"),
        std::string::npos)
        << blocked;
    EXPECT_EQ(opposite_leaves(6), "8");
}

// A contribution that is lost between a leaf and the spine: both name what they wait for.
TEST(GroupTiers, AContributionThatIsLostBehindALeafIsNamedAtBothTiers)
{
    TreeSpec spec;
    spec.thief = 2;
    GroupTree tree(spec);
    tree.group_of_all();
    for (unsigned m = 0; m < 4; ++m)
        for (std::uint64_t l = 0; l < 4; ++l) tree.members[m]->issue(0, LineOp::reduce, first_group, 64 * l);
    tree.finish(false);
    EXPECT_EQ(tree.members[0]->answers.size(), 3u);
    ASSERT_EQ(tree.leaves[1]->blocked().size(), 1u);
    EXPECT_EQ(tree.leaves[1]->blocked()[0],
        "leaf1: reduce at 0x80 of group 0xfc00 waits for the combination of all switches");
    ASSERT_EQ(tree.spines[0]->blocked().size(), 1u);
    EXPECT_EQ(tree.spines[0]->blocked()[0],
        "spine0: reduce at 0x80 of group 0xfc00 waits for the switch of endpoint 2");
    EXPECT_GT(tree.pool.live(), 0u);
    EXPECT_TRUE(tree.spines[0]->overdue(tree.event_queue.last() + spec.spine.reduce_timeout + 1));
}

TEST(GroupTiers, AMemberThatDoesNotPushIsNamedByItsLeaf)
{
    TreeSpec spec;
    spec.members = {2, 3};
    GroupTree tree(spec);
    tree.group_of_all();
    for (const unsigned m : {0U, 1U, 3U}) tree.members[m]->issue(0, LineOp::reduce, first_group, 192);
    tree.finish(false);
    EXPECT_EQ(tree.leaves[1]->blocked()[0], "leaf1: reduce at 0xc0 of group 0xfc00 waits for endpoint 2, 4");
    EXPECT_EQ(tree.spines[0]->blocked()[0],
        "spine0: reduce at 0xc0 of group 0xfc00 waits for the switch of endpoint 2");
}

TEST(GroupTiers, RandomMixesWithLittleRoomAllEnd)
{
    for (unsigned seed = 1; seed <= 16; ++seed) {
        EXPECT_EQ(in_child([seed] {
            std::mt19937_64 random(seed);
            const bool pushes = seed % 2 == 0;  // with enough contexts for them beside the rest
            TreeSpec spec;
            spec.members.clear();
            for (unsigned l = 0; l < 2 + seed % 3; ++l) spec.members.push_back(1 + random() % 3);
            spec.spines = 1 + random() % 3;
            for (LinkSpec* link : {&spec.member, &spec.trunk}) {
                link->request_credits = 1 + random() % 3;
                link->response_credits = 1 + random() % 3;
                link->vcs = static_cast<RequestVcs>(random() % 2);
            }
            spec.leaf.group_contexts = pushes ? 512 : 1 + random() % 4;
            spec.spine.group_contexts = pushes ? 512 : 1 + random() % 4;
            spec.leaf.arbiter = spec.spine.arbiter = static_cast<ArbiterKind>(random() % 4);
            GroupTree tree(spec);
            tree.group_of_all();
            const std::size_t n = tree.members.size();
            std::size_t expected = 0;
            for (unsigned i = 0; i < 300; ++i) {
                GroupMember& member = *tree.members[random() % n];
                const LineOp ops[] = {LineOp::multicast, LineOp::load_reduce, LineOp::read, LineOp::write};
                const LineOp op = ops[random() % 4];
                const bool posted = (op == LineOp::multicast || op == LineOp::write) && random() % 2 == 0;
                const bool plain = op == LineOp::read || op == LineOp::write;
                member.issue(random() % 200'000, op, plain ? static_cast<std::uint16_t>(random() % n) : first_group,
                    64 * (random() % 32), posted, 4 * (1 + random() % 16));
                expected += posted ? 0 : 1;
            }
            for (std::size_t m = 0; pushes && m < n; ++m)
                for (std::uint64_t l = 0; l < 64; ++l, ++expected)
                    tree.members[m]->issue(random() % 200'000, LineOp::reduce, first_group, 64 * (100 + l));
            tree.finish();
            for (const auto& member : tree.members) expected -= member->answers.size();
            return std::to_string(expected) + " missing";
        }),
            "0 missing")
            << "seed " << seed;
    }
}

}  // namespace group_tiers_test
