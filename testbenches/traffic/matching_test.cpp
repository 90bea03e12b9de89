// One matching at a time, against what the rules say.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

}  // namespace matching_test
