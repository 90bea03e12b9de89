// One matching at a time, against what the rules say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "tlm_interconnect/switch/matching.h"
#include "tlm_interconnect/kernel/random_stream.h"

namespace matching_test {

using namespace weft;

namespace {

SwitchSpec with(AllocatorKind kind, unsigned iterations = 1)
{
    SwitchSpec spec;
    spec.allocator = kind;
    spec.iterations = iterations;
    return spec;
}

using Wishes = std::vector<std::pair<unsigned, unsigned>>;  // input, output

// Outputs by input, -1: none.
std::vector<int> matched(CrossbarMatching& matching, unsigned inputs, const Wishes& wishes)
{
    for (const auto& [input, output] : wishes) matching.request(input, output);
    matching.match();
    std::vector<int> out(inputs, -1);
    for (unsigned i = 0; i < inputs; ++i)
        if (matching.matched_inputs() >> i & 1U) out[i] = static_cast<int>(matching.output_of(i));
    return out;
}

Wishes everybody_everything(unsigned n)
{
    Wishes out;
    for (unsigned i = 0; i < n; ++i)
        for (unsigned o = 0; o < n; ++o) out.emplace_back(i, o);
    return out;
}

unsigned matches(const std::vector<int>& result)
{
    return static_cast<unsigned>(std::count_if(result.begin(), result.end(), [](int o) { return o >= 0; }));
}

}  // namespace

TEST(Matching, IsAMatchingOfRequestsAndMaximalWithEnoughIterations)
{
    constexpr unsigned n = 7;
    for (const AllocatorKind kind : {AllocatorKind::islip, AllocatorKind::input_first, AllocatorKind::round_robin,
             AllocatorKind::age, AllocatorKind::weighted}) {
        CrossbarMatching matching(with(kind, n), n, n);
        RandomStream random(5, static_cast<std::uint64_t>(kind));
        for (unsigned round = 0; round < 500; ++round) {
            std::array<std::array<bool, n>, n> asks{};
            for (unsigned i = 0; i < n; ++i)
                for (unsigned o = 0; o < n; ++o)
                    if (random.chance(0.3)) {
                        asks[i][o] = true;
                        matching.request(i, o, random.below(100), random.chance(0.5));
                    }
            matching.match();
            std::array<bool, n> taken{};
            for (unsigned i = 0; i < n; ++i) {
                if ((matching.matched_inputs() >> i & 1U) == 0) continue;
                ASSERT_TRUE(asks[i][matching.output_of(i)]);
                ASSERT_FALSE(taken[matching.output_of(i)]);
                taken[matching.output_of(i)] = true;
            }
            if (kind == AllocatorKind::input_first) continue;
            for (unsigned i = 0; i < n; ++i)
                for (unsigned o = 0; o < n; ++o)
                    ASSERT_FALSE(asks[i][o] && !taken[o] && (matching.matched_inputs() >> i & 1U) == 0);
        }
    }
}

// With all queues full the pointers move apart until every input is matched in every clock, in turn.
TEST(Matching, IslipFindsAFullRotation)
{
    constexpr unsigned n = 8;
    CrossbarMatching matching(with(AllocatorKind::islip), n, n);
    const Wishes all = everybody_everything(n);
    EXPECT_EQ(matches(matched(matching, n, all)), 1u);
    EXPECT_EQ(matches(matched(matching, n, all)), 2u);
    for (unsigned clock = 2; clock < n; ++clock) matched(matching, n, all);
    std::array<std::array<unsigned, n>, n> served{};
    for (unsigned clock = 0; clock < 10 * n; ++clock) {
        const std::vector<int> result = matched(matching, n, all);
        ASSERT_EQ(matches(result), n);
        for (unsigned i = 0; i < n; ++i) ++served[i][static_cast<unsigned>(result[i])];
    }
    for (const auto& row : served)
        for (const unsigned count : row) EXPECT_EQ(count, 10u);
}

// Pointers that all move alike: every output grants the same input for ever.
TEST(Matching, RoundRobinStaysInStep)
{
    constexpr unsigned n = 8;
    CrossbarMatching matching(with(AllocatorKind::round_robin), n, n);
    for (unsigned clock = 0; clock < 5 * n; ++clock) {
        const std::vector<int> result = matched(matching, n, everybody_everything(n));
        EXPECT_EQ(matches(result), 1u);
        EXPECT_GE(result[clock % n], 0);
    }
}

TEST(Matching, AFurtherIterationMatchesWhatIsLeft)
{
    // Both outputs grant input 0, which takes output 0; output 1 is left to input 1.
    const Wishes wishes{{0, 0}, {0, 1}, {1, 1}};
    CrossbarMatching once(with(AllocatorKind::islip, 1), 2, 2);
    EXPECT_EQ(matched(once, 2, wishes), (std::vector<int>{0, -1}));
    CrossbarMatching twice(with(AllocatorKind::islip, 2), 2, 2);
    EXPECT_EQ(matched(twice, 2, wishes), (std::vector<int>{0, 1}));
}

TEST(Matching, InputFirstLosesAnOutputThatNobodyPicked)
{
    CrossbarMatching matching(with(AllocatorKind::input_first), 2, 2);
    EXPECT_EQ(matched(matching, 2, {{0, 0}, {0, 1}, {1, 0}}), (std::vector<int>{0, -1}));
    // The pointer of input 0 stands at output 1 now.
    EXPECT_EQ(matched(matching, 2, {{0, 0}, {0, 1}, {1, 0}}), (std::vector<int>{1, 0}));
}

TEST(Matching, TheOldestGoesFirst)
{
    CrossbarMatching matching(with(AllocatorKind::age), 3, 1);
    for (unsigned clock = 0; clock < 3; ++clock) {
        matching.request(0, 0, 30);
        matching.request(1, 0, 10);
        matching.request(2, 0, 20);
        matching.match();
        EXPECT_EQ(matching.matched_inputs(), 2u);
    }
}

TEST(Matching, WeightsHoldExactlyOverAnyPeriod)
{
    SwitchSpec spec = with(AllocatorKind::weighted);
    spec.control_weight = 2;
    spec.data_weight = 5;
    CrossbarMatching matching(spec, 2, 1);
    unsigned control = 0;
    for (unsigned clock = 1; clock <= 70; ++clock) {
        matching.request(0, 0, 0, true);
        matching.request(1, 0, 0, false);
        matching.match();
        control += matching.matched_inputs() == 1;
        if (clock % 7 == 0) {
            EXPECT_EQ(control, clock / 7 * 2);
        }
    }
}

TEST(Matching, ChannelsGoToQueuesInTurn)
{
    ChannelMatching matching(with(AllocatorKind::islip), 1, 3);
    std::array<unsigned, 3> given{};
    for (unsigned clock = 0; clock < 30; ++clock) {
        std::vector<ChannelMatching::Request> requests{{0, 1, -1}, {1, 1, -1}, {2, 1, -1}};
        matching.match(0, requests, 0xffff);
        for (unsigned q = 0; q < 3; ++q) given[q] += requests[q].given == 0;
    }
    EXPECT_EQ(given, (std::array<unsigned, 3>{10, 10, 10}));
    std::vector<ChannelMatching::Request> none{{0, 1, -1}};
    matching.match(0, none, 0xfffe);
    EXPECT_EQ(none[0].given, -1);
}

// The rule of matching.h in plain words: what channels and queues are offered next is searched for one by one.
class PlainChannels {
public:
    PlainChannels(bool input_first, unsigned queues)
        : input_first_(input_first), queues_(queues), granted_(16), accepted_(queues)
    {
    }

    std::map<std::uint32_t, int> match(const std::vector<ChannelMatching::Request>& requests, unsigned free)
    {
        std::map<unsigned, std::uint32_t> grants;  // channel to queue
        for (unsigned channel = 0; channel < 16; ++channel)
            for (unsigned step = 0; step < queues_ && grants.count(channel) == 0; ++step)
                for (const ChannelMatching::Request& request : requests)
                    if (request.queue == (granted_[channel] + step) % queues_ && asks(request, free, channel))
                        grants[channel] = request.queue;
        std::map<std::uint32_t, int> out;
        for (const ChannelMatching::Request& request : requests) {
            for (unsigned step = 0; step < 16 && out.count(request.queue) == 0; ++step) {
                const unsigned channel = (accepted_[request.queue] + step) % 16;
                if (grants.count(channel) == 1 && grants[channel] == request.queue)
                    out[request.queue] = static_cast<int>(channel);
            }
        }
        for (const auto& [queue, channel] : out) {
            granted_[static_cast<unsigned>(channel)] = (queue + 1) % queues_;
            accepted_[queue] = static_cast<unsigned>(channel + 1) % 16;
        }
        return out;
    }

private:
    bool asks(const ChannelMatching::Request& request, unsigned free, unsigned channel) const
    {
        const unsigned offered = request.channels & free;
        if ((offered >> channel & 1U) == 0 || !input_first_) return (offered >> channel & 1U) != 0;
        unsigned picked = accepted_[request.queue];
        while ((offered >> picked & 1U) == 0) picked = (picked + 1) % 16;
        return picked == channel;
    }

    bool input_first_;
    unsigned queues_;
    std::vector<std::uint32_t> granted_;
    std::vector<unsigned> accepted_;
};

TEST(Matching, ChannelsFollowTheRuleForAnyRequests)
{
    constexpr unsigned queues = 9;
    for (const AllocatorKind kind : {AllocatorKind::islip, AllocatorKind::input_first}) {
        ChannelMatching matching(with(kind), 2, queues);
        PlainChannels plain(kind == AllocatorKind::input_first, queues);
        RandomStream random(9, static_cast<std::uint64_t>(kind));
        for (unsigned round = 0; round < 3'000; ++round) {
            std::vector<ChannelMatching::Request> requests;
            for (std::uint32_t queue = 0; queue < queues; ++queue)
                if (random.below(3) == 0)
                    requests.push_back({queue, static_cast<std::uint16_t>(random.below(65'536)), -1});
            const auto free = static_cast<std::uint16_t>(random.below(65'536) | random.below(65'536));
            const std::map<std::uint32_t, int> expected = plain.match(requests, free);
            if (requests.size() == 1) {
                const ChannelMatching::Request& only = requests[0];
                const int channel = matching.match_one(1, only.queue, static_cast<std::uint16_t>(only.channels & free));
                ASSERT_EQ(channel, expected.empty() ? -1 : expected.begin()->second) << round;
                continue;
            }
            matching.match(1, requests, free);
            for (const ChannelMatching::Request& request : requests)
                ASSERT_EQ(request.given, expected.count(request.queue) == 0 ? -1 : expected.at(request.queue)) << round;
        }
    }
}

}  // namespace matching_test
