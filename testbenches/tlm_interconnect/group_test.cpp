// Operations on groups in a switch: bytes, times, order of combination, tables that are full.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "base/diagnostic.h"
#include "testbenches/tlm_interconnect/child.h"
#include "testbenches/tlm_interconnect/group_member.h"
#include "tlm_interconnect/link/buffer_space.h"
#include "tlm_interconnect/link/link.h"
#include "tlm_interconnect/protocol/protocol_checker.h"
#include "tlm_interconnect/switch/switch.h"

namespace group_test {

using namespace weft;
using namespace weft::testing;

namespace {

// Members 0..n-1 on one switch, each by one link.
struct Star {
    Star(unsigned count, const LinkSpec& link, const SwitchSpec& spec)
        : event_queue("event_queue"), checkers(event_queue), links_spec(link)
    {
        std::vector<std::vector<std::uint16_t>> routes;
        for (unsigned m = 0; m < count; ++m) routes.push_back({static_cast<std::uint16_t>(m)});
        hub = std::make_unique<Switch>("hub", event_queue, "hub", spec, count, RouteTable(routes));
        for (unsigned m = 0; m < count; ++m) {
            const std::string number = std::to_string(m);
            members.push_back(std::make_unique<GroupMember>(("m" + number).c_str(), event_queue, "m" + number, pool,
                static_cast<std::uint16_t>(m), 1));
            links.push_back(std::make_unique<Link>(("link" + number).c_str(), event_queue, link));
            const ProtocolChecker::Rules rules = ProtocolChecker::Rules::of(buffer_space(link), true);
            checkers.bind(members[m]->out(0), links[m]->target(0), rules);
            checkers.bind(links[m]->initiator(1), hub->target(m), rules);
            checkers.bind(hub->initiator(m), links[m]->target(1), rules);
            checkers.bind(links[m]->initiator(0), members[m]->in(0), rules);
            members[m]->output(0).set_credits(buffer_space(link));
            hub->set_credits(m, buffer_space(link));
        }
    }

    void group(std::vector<std::uint16_t> order, std::uint16_t id = first_group)
    {
        hub->add_group({id, std::move(order), ElementType::fp32, ReduceOp::sum}, pool);
    }
    void group_of_all()
    {
        std::vector<std::uint16_t> order(members.size());
        std::iota(order.begin(), order.end(), std::uint16_t{0});
        group(order);
    }
    void finish(bool clean = true)
    {
        sc_core::sc_start();
        if (!clean) return;
        checkers.finish();
        EXPECT_EQ(checkers.problems(), 0u);
        EXPECT_EQ(pool.live(), 0u);
        EXPECT_TRUE(hub->blocked().empty());
    }
    Time wire(std::uint64_t bytes) const { return bytes * 1'000'000'000'000 / links_spec.bandwidth; }
    double statistic(const std::string& name) const
    {
        for (const Statistic& entry : hub->statistics())
            if (entry.name == name) return entry.value;
        return -1;
    }

    EventQueue event_queue;
    LinePool pool;
    Checkers checkers;
    LinkSpec links_spec;
    std::unique_ptr<Switch> hub;
    std::vector<std::unique_ptr<GroupMember>> members;
    std::vector<std::unique_ptr<Link>> links;
};

// Sums that depend on the order of their terms.
float awkward(unsigned member, std::uint64_t line, unsigned element)
{
    const float large[] = {1e8F, 1.0F, -1e8F, 3.25F, 7e7F, -0.5F, 2.0F, -7e7F};
    return large[(member + line) % 8] * static_cast<float>(1 + element % 5);
}

float in_order(const std::vector<std::uint16_t>& order, std::uint64_t line, unsigned element)
{
    float sum = awkward(order[0], line, element);
    for (std::size_t m = 1; m < order.size(); ++m) sum += awkward(order[m], line, element);
    return sum;
}

void fill(Star& star, std::uint64_t lines)
{
    for (unsigned m = 0; m < star.members.size(); ++m)
        for (std::uint64_t l = 0; l < lines; ++l)
            for (unsigned e = 0; e < 16; ++e) star.members[m]->memory(64 * l)[e] = awkward(m, l, e);
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST(Group, MulticastAtZeroLoadIsTheSumOfItsParts)
{
    Star star(4, {}, {});
    star.group_of_all();
    star.members[1]->memory(128)[3] = 42;
    star.members[1]->issue(0, LineOp::multicast, first_group, 128);
    star.finish();
    const LinkSpec link;
    const SwitchSpec hub;
    ASSERT_EQ(star.members[1]->answers.size(), 1u);
    // There, copies out, acknowledgements back, answer out.
    EXPECT_EQ(star.members[1]->answers[0].at,
        star.wire(80) + link.latency + hub.latency + star.wire(80) + link.latency + star.wire(16) + link.latency +
            hub.latency + star.wire(16) + link.latency);
    for (const auto& member : star.members) EXPECT_EQ(member->memory(128)[3], 42);
}

TEST(Group, LoadReduceAtZeroLoadIsTheSumOfItsPartsAndOfTheAdder)
{
    SwitchSpec hub;
    hub.reduce_rate = 64'000'000'000;  // 1 ns per operand
    Star star(4, {}, hub);
    star.group_of_all();
    fill(star, 1);
    star.members[2]->issue(0, LineOp::load_reduce, first_group, 0);
    star.finish();
    const LinkSpec link;
    ASSERT_EQ(star.members[2]->answers.size(), 1u);
    EXPECT_EQ(star.members[2]->answers[0].at,
        star.wire(16) + link.latency + hub.latency + star.wire(16) + link.latency + star.wire(80) + link.latency +
            hub.latency + 4'000 + star.wire(80) + link.latency);
    for (unsigned e = 0; e < 16; ++e)
        EXPECT_TRUE(same_bits(star.members[2]->answers[0].data[e], in_order({0, 1, 2, 3}, 0, e)));
}

TEST(Group, TheOrderOfCombinationIsTheGroupsWhateverTheOrderOfArrival)
{
    for (const std::vector<std::uint16_t>& order :
        {std::vector<std::uint16_t>{0, 1, 2, 3}, std::vector<std::uint16_t>{3, 1, 0, 2}}) {
        for (unsigned slow = 0; slow < 4; ++slow) {
            const std::string bits = in_child([order, slow] {
                Star star(4, {}, {});
                star.group(order);
                fill(star, 8);
                star.members[slow]->delay_reads(500'000);
                for (std::uint64_t l = 0; l < 8; ++l)
                    star.members[0]->issue(0, LineOp::load_reduce, first_group, 64 * l);
                star.finish();
                unsigned wrong = 0;
                for (const GroupMember::Answer& answer : star.members[0]->answers)
                    for (unsigned e = 0; e < 16; ++e)
                        wrong += same_bits(answer.data[e], in_order(order, answer.local / 64, e)) ? 0 : 1;
                return std::to_string(star.members[0]->answers.size()) + " " + std::to_string(wrong);
            });
            EXPECT_EQ(bits, "8 0");
        }
    }
    // The two orders do differ, or the test above shows nothing.
    EXPECT_FALSE(same_bits(in_order({0, 1, 2, 3}, 0, 0), in_order({3, 1, 0, 2}, 0, 0)));
}

TEST(Group, AllReduceThroughTheSwitchMovesOneAndOneNthOfTheMessageEachWay)
{
    constexpr unsigned n = 4;
    constexpr std::uint64_t lines = 64;
    Star star(n, {}, {});
    star.group_of_all();
    fill(star, lines);
    for (unsigned m = 0; m < n; ++m) {
        GroupMember& member = *star.members[m];
        member.on_answer = [&member, &star](const GroupMember::Answer& answer) {
            if (answer.op != LineOp::load_reduce) return;
            member.memory(answer.local) = answer.data;
            member.issue(star.event_queue.now(), LineOp::multicast, first_group, answer.local);
        };
        for (std::uint64_t l = m * lines / n; l < (m + 1) * lines / n; ++l)
            member.issue(0, LineOp::load_reduce, first_group, 64 * l);
    }
    star.finish();
    constexpr std::uint64_t message = lines * 64;
    for (unsigned m = 0; m < n; ++m) {
        const Link::Direction up = star.links[m]->direction(0);
        const Link::Direction down = star.links[m]->direction(1);
        EXPECT_EQ(up.payload_bytes, message + message / n);
        EXPECT_EQ(down.payload_bytes, message + message / n);
        // Headers: up, own loads and multicasts, answers to every load and every write; down likewise.
        EXPECT_EQ(up.wire_bytes, up.payload_bytes + 16 * (2 * lines / n + 2 * lines));
        EXPECT_EQ(down.wire_bytes, down.payload_bytes + 16 * (2 * lines / n + 2 * lines));
        for (std::uint64_t l = 0; l < lines; ++l)
            for (unsigned e = 0; e < 16; ++e)
                EXPECT_TRUE(same_bits(star.members[m]->memory(64 * l)[e], in_order({0, 1, 2, 3}, l, e)));
    }
}

TEST(Group, PushReduceMovesTheMessageOnceEachWay)
{
    constexpr unsigned n = 4;
    constexpr std::uint64_t lines = 64;
    Star star(n, {}, {});
    star.group({2, 0, 3, 1});
    fill(star, lines);
    for (unsigned m = 0; m < n; ++m)
        for (std::uint64_t l = 0; l < lines; ++l)
            star.members[m]->issue(m * 1'000, LineOp::reduce, first_group, 64 * ((l + 16 * m) % lines));
    star.finish();
    for (unsigned m = 0; m < n; ++m) {
        EXPECT_EQ(star.members[m]->answers.size(), lines);
        EXPECT_EQ(star.links[m]->direction(0).payload_bytes, lines * 64);
        EXPECT_EQ(star.links[m]->direction(1).payload_bytes, lines * 64);
        for (std::uint64_t l = 0; l < lines; ++l)
            for (unsigned e = 0; e < 16; ++e)
                EXPECT_TRUE(same_bits(star.members[m]->memory(64 * l)[e], in_order({2, 0, 3, 1}, l, e)));
    }
    EXPECT_EQ(star.statistic("group_operations"), lines);
}

TEST(Group, ASecondRoundAtTheSameAddressMayBeginAsSoonAsAMemberHasItsAnswer)
{
    Star star(3, {}, {});
    star.group_of_all();
    fill(star, 1);
    for (auto& member : star.members) {
        GroupMember& self = *member;
        self.on_answer = [&self, &star](const GroupMember::Answer&) {
            if (self.answers.size() < 5) self.issue(star.event_queue.now(), LineOp::reduce, first_group, 0);
        };
        self.issue(0, LineOp::reduce, first_group, 0);
    }
    star.finish();
    for (const auto& member : star.members) EXPECT_EQ(member->answers.size(), 5u);
}

TEST(Group, APostedMulticastIsNotAnswered)
{
    Star star(4, {}, {});
    star.group_of_all();
    for (std::uint64_t l = 0; l < 32; ++l) {
        star.members[0]->memory(64 * l)[0] = static_cast<float>(l + 1);
        star.members[0]->issue(0, LineOp::multicast, first_group, 64 * l, true);
    }
    star.finish();
    EXPECT_TRUE(star.members[0]->answers.empty());
    for (const auto& member : star.members)
        for (std::uint64_t l = 0; l < 32; ++l) EXPECT_EQ(member->memory(64 * l)[0], static_cast<float>(l + 1));
    EXPECT_EQ(star.links[1]->direction(0).wire_bytes, 0u);
}

TEST(Group, FewContextsMakeOperationsWaitAndNothingElse)
{
    const auto run = [](unsigned contexts) {
        return in_child([contexts] {
            SwitchSpec hub;
            hub.group_contexts = contexts;
            Star star(4, {}, hub);
            star.group_of_all();
            fill(star, 64);
            for (std::uint64_t l = 0; l < 64; ++l)
                star.members[l % 4]->issue(0, LineOp::load_reduce, first_group, 64 * l);
            star.finish();
            Time last = 0;
            for (const auto& member : star.members) last = std::max(last, member->answers.back().at);
            return std::to_string(last) + " " +
                std::to_string(static_cast<int>(star.statistic("group_contexts_peak"))) + " " +
                std::to_string(static_cast<int>(star.statistic("group_waits")));
        });
    };
    Time one = 0;
    Time many = 0;
    int peak_one = 0;
    int peak_many = 0;
    int waits_one = 0;
    int waits_many = 0;
    std::istringstream(run(1)) >> one >> peak_one >> waits_one;
    std::istringstream(run(64)) >> many >> peak_many >> waits_many;
    EXPECT_GT(one, 10 * many);
    EXPECT_EQ(peak_one, 1);
    EXPECT_GE(waits_one, 63);
    EXPECT_GT(peak_many, 8);
    EXPECT_EQ(waits_many, 0);
}

TEST(Group, ATableThatIsFullSaysSo)
{
    SwitchSpec hub;
    hub.multicast_groups = 2;
    Star star(2, {}, hub);
    star.group({0, 1}, first_group);
    star.group({1, 0}, first_group + 1);
    try {
        star.group({0}, first_group + 2);
        ADD_FAILURE() << "a third group found room";
    } catch (const InputError& error) {
        EXPECT_EQ(error.diagnostics()[0].text(),
            "hub: the table of 2 groups is full; expected fewer "
            "groups, or a larger switch.multicast_groups");
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

TEST(Group, APushIsAnsweredWhenTheResultIsWrittenEverywhere)
{
    Star star(3, {}, {});
    star.group_of_all();
    fill(star, 1);
    for (const auto& member : star.members) member->issue(0, LineOp::reduce, first_group, 0);
    star.finish();
    // There, the adder, copies out, acknowledgements back, answers: all at once.
    const LinkSpec link;
    const SwitchSpec hub;
    for (const auto& member : star.members) {
        ASSERT_EQ(member->answers.size(), 1u);
        EXPECT_EQ(member->answers[0].at,
            star.wire(80) + link.latency + hub.latency + 3 * 40 + star.wire(80) + link.latency + star.wire(16) +
                link.latency + hub.latency + star.wire(16) + link.latency);
    }
}

TEST(Group, PushesInDifferentOrdersEndWithOneContext)
{
    // What the open context waits for comes behind contributions that find none free.
    for (const unsigned contexts : {1U, 2U, 5U})
        EXPECT_EQ(in_child([contexts] {
            SwitchSpec hub;
            hub.group_contexts = contexts;
            LinkSpec link;
            link.request_credits = 2;
            Star star(3, link, hub);
            star.group_of_all();
            fill(star, 16);
            for (unsigned m = 0; m < 3; ++m)
                for (std::uint64_t l = 0; l < 16; ++l)
                    star.members[m]->issue(m * 1'000, LineOp::reduce, first_group,
                        64 * ((m == 1 ? 15 - l : l + 5 * m) % 16));
            star.finish();
            unsigned wrong = 0;
            for (const auto& member : star.members)
                for (std::uint64_t l = 0; l < 16; ++l)
                    for (unsigned e = 0; e < 16; ++e)
                        wrong += same_bits(member->memory(64 * l)[e], in_order({0, 1, 2}, l, e)) ? 0 : 1;
            return std::to_string(wrong) + " " +
                std::to_string(static_cast<unsigned>(star.statistic("group_contexts_peak")));
        }),
            "0 " + std::to_string(contexts));
}

namespace {

// Two members push lines 0..7, the second in reverse, through a unit with one context and so many places; what stands still, if
// anything does, or when the answers come.
std::string opposite_pushes(std::uint64_t places)
{
    return in_child([places] {
        SwitchSpec hub;
        hub.group_contexts = 1;
        hub.waiting_contributions = places;
        LinkSpec link;
        link.request_credits = 2;
        Star star(2, link, hub);
        star.group_of_all();
        for (unsigned m = 0; m < 2; ++m)
            for (std::uint64_t l = 0; l < 8; ++l)
                star.members[m]->issue(0, LineOp::reduce, first_group, 64 * (m == 0 ? l : 7 - l));
        star.finish(false);
        std::string out;
        for (const std::string& text : star.hub->blocked()) out += text + "\n";
        for (const auto& answer : star.members[0]->answers) out += std::to_string(answer.at) + " ";
        return out;
    });
}

}  // namespace

// Beyond the places of the unit a contribution keeps its input slot; what that blocks is named.
TEST(Group, ContributionsBeyondThePlacesAreNamedWhereTheyBlock)
{
    const std::string blocked = opposite_pushes(2);
    EXPECT_NE(blocked.find("reduce at 0x0 of group 0xfc00 waits for endpoint 1\n"), std::string::npos) << blocked;
    EXPECT_NE(blocked.find("operations on groups wait for one of 1 contexts\n"), std::string::npos) << blocked;
    EXPECT_NE(blocked.find("4 of their contributions keep their input slots; all switch.waiting_contributions = 2 "
                           "places are in use\n"),
        std::string::npos)
        << blocked;
    // With a place for all that can wait nothing blocks, and more of them change no time.
    const std::string free = opposite_pushes(14);
    EXPECT_EQ(free.find("wait"), std::string::npos) << free;
    EXPECT_EQ(free, opposite_pushes(16'384));
}

// One that has no place gives its credit back when it gets one: pushes in the same order pass through a single place.
TEST(Group, AContributionWithoutAPlaceGivesItsCreditBackWithThePlace)
{
    EXPECT_EQ(in_child([] {
        SwitchSpec hub;
        hub.group_contexts = 1;
        hub.waiting_contributions = 1;
        LinkSpec link;
        link.request_credits = 1;
        Star star(2, link, hub);
        star.group_of_all();
        fill(star, 4);
        for (std::uint64_t l = 0; l < 4; ++l) {
            star.members[0]->issue(0, LineOp::reduce, first_group, 64 * l);
            star.members[1]->issue(20'000'000, LineOp::reduce, first_group, 64 * l);
        }
        star.event_queue.run_kernel(10'000'000);
        std::string out;
        for (const std::string& text : star.hub->blocked()) out += text + "; ";
        star.event_queue.set_end(~Time{0});
        star.finish();
        return out + std::to_string(star.members[0]->answers.size()) + " " +
            std::to_string(star.members[1]->answers.size());
    }),
        "hub: reduce at 0x0 of group 0xfc00 waits for endpoint 1; hub: 2 operations on groups wait for one of 1 "
        "contexts; "
        "hub: 1 of their contributions keep their input slots; all switch.waiting_contributions = 1 places are in use; "
        "4 4");
}

TEST(Group, LinesOfGroupsPackByTheirOwnLimit)
{
    // 64 lines multicast, and 64 written as ever: what comes down to one of their targets.
    const auto bytes = [](std::uint64_t group_payload) {
        return in_child([group_payload] {
            LinkSpec link;
            link.merge = MergeKind::adjacent;
            link.max_payload = 256;
            link.group_payload = group_payload;
            Star star(4, link, {});
            star.group_of_all();
            for (std::uint64_t l = 0; l < 64; ++l) star.members[0]->issue(0, LineOp::multicast, first_group, 64 * l);
            for (std::uint64_t l = 0; l < 64; ++l) star.members[0]->issue(0, LineOp::write, 1, 64 * (l + 64));
            star.finish();
            return std::to_string(star.links[1]->direction(1).wire_bytes) + " " +
                std::to_string(star.links[2]->direction(1).wire_bytes);
        });
    };
    const std::uint64_t plain = 64 * 64 + 16 * 16;
    for (const auto& [payload, packets] :
        {std::pair{64, 64}, std::pair{128, 32}, std::pair{256, 16}, std::pair{4096, 16}}) {
        const std::uint64_t group = 64 * 64 + 16 * static_cast<std::uint64_t>(packets);
        EXPECT_EQ(bytes(static_cast<std::uint64_t>(payload)),
            std::to_string(group + plain) + " " + std::to_string(group));
    }
}

TEST(Group, AMissingContributionIsNamed)
{
    Star star(4, {}, {});
    star.group_of_all();
    for (const unsigned m : {0U, 3U}) star.members[m]->issue(0, LineOp::reduce, first_group, 192);
    star.finish(false);
    const std::vector<std::string> blocked = star.hub->blocked();
    ASSERT_EQ(blocked.size(), 1u);
    EXPECT_EQ(blocked[0], "hub: reduce at 0xc0 of group 0xfc00 waits for endpoint 1, 2");
}

TEST(Group, RandomMixesWithLittleRoomAllEnd)
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        EXPECT_EQ(in_child([seed] {
            std::mt19937_64 random(seed);
            LinkSpec link;
            link.request_credits = 1 + random() % 3;
            link.response_credits = 1 + random() % 3;
            link.pool_credits = random() % 3;
            link.vcs = static_cast<RequestVcs>(random() % 2);
            SwitchSpec hub;
            hub.group_contexts = 1 + random() % 4;
            hub.arbiter = static_cast<ArbiterKind>(random() % 4);
            const unsigned n = 2 + random() % 5;
            Star star(n, link, hub);
            star.group_of_all();
            std::size_t expected = 0;
            for (unsigned i = 0; i < 300; ++i) {
                GroupMember& member = *star.members[random() % n];
                const LineOp ops[] = {LineOp::multicast, LineOp::load_reduce, LineOp::read, LineOp::write};
                const LineOp op = ops[random() % 4];
                const bool posted = (op == LineOp::multicast || op == LineOp::write) && random() % 2 == 0;
                const bool plain = op == LineOp::read || op == LineOp::write;
                member.issue(random() % 200'000, op, plain ? static_cast<std::uint16_t>(random() % n) : first_group,
                    64 * (random() % 32), posted, 4 * (1 + random() % 16));
                expected += posted ? 0 : 1;
            }
            star.finish();
            for (const auto& member : star.members) expected -= member->answers.size();
            return std::to_string(expected) + " missing";
        }),
            "0 missing")
            << "seed " << seed;
    }
}

}  // namespace group_test
