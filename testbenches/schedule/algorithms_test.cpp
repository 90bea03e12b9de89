#include "collectives/schedule/algorithms/algorithms.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "collectives/schedule/analysis/traffic.h"
#include "collectives/schedule/layout.h"
#include "collectives/schedule/theory/theory.h"
#include "collectives/schedule/verification/verify.h"
#include "testbenches/schedule/plans.h"
#include "testbenches/support/thorough.h"

namespace algorithms_test {

using namespace weft;

namespace {

constexpr CollectiveOp ops[] = {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
    CollectiveOp::all_to_all, CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::gather,
    CollectiveOp::scatter, CollectiveOp::barrier};
// 1 to 64; a quick run leaves some of the larger ones out, which take most of the time.
std::vector<std::uint32_t> sizes()
{
    std::vector<std::uint32_t> out;
    for (std::uint32_t ranks = 1; ranks <= 64; ++ranks)
        if (weft::test::thorough() || ranks <= 9 || ranks == 11 || (ranks >= 15 && ranks <= 17) || ranks == 24 ||
            ranks == 33 || ranks == 64)
            out.push_back(ranks);
    return out;
}

class Algorithm : public ::testing::TestWithParam<std::tuple<CollectiveOp, std::string>> {
protected:
    CollectiveOp op() const { return std::get<0>(GetParam()); }
    std::string name() const { return std::get<1>(GetParam()); }
    // Few rings of many ranks: each has steps by the square of their number.
    AlgorithmOptions options(std::uint32_t ranks, std::uint32_t root, std::uint32_t channels) const
    {
        AlgorithmOptions options;
        options.channels = channels;
        options.root = root;
        options.pipeline = 5;
        options.rings = ranks > 9 ? 2 : 0;
        return options;
    }
    // All of a few ranks; of many, both ends and the middle.
    std::set<std::uint32_t> roots(std::uint32_t ranks) const
    {
        if (!has_root(op())) return {0};
        return {0, ranks / 2, ranks - 1, std::min(ranks - 1, 2u)};
    }
    Schedule schedule(std::uint32_t ranks, const AlgorithmOptions& options) const
    {
        return make_schedule(name(), op(), ranks, options);
    }
    std::uint32_t steps_of(const Verification& result) const
    {
        return op() == CollectiveOp::barrier ? result.signal_steps : result.steps;
    }
};

std::string case_name(const ::testing::TestParamInfo<std::tuple<CollectiveOp, std::string>>& info)
{
    return std::string(name_of(std::get<0>(info.param))) + "_" + std::get<1>(info.param);
}

}  // namespace

TEST_P(Algorithm, IsVerifiedInTheStepsOfTheory)
{
    for (std::uint32_t ranks : sizes())
        for (std::uint32_t channels : {1u, 3u}) {
            if (channels > 1 && ranks > 17 && ranks != 32) continue;
            for (std::uint32_t root : roots(ranks)) {
                const AlgorithmOptions chosen = options(ranks, root, channels);
                const Schedule made = schedule(ranks, chosen);
                const Verification result = verify(made);
                ASSERT_TRUE(result.ok) << ranks << " ranks, " << channels << " channels, root " << root << "\n"
                                       << all_problems(result);
                ASSERT_EQ(steps_of(result), theory_steps(theory_case(op(), name(), ranks, 0, 1, chosen)))
                    << ranks << " ranks, " << channels << " channels, root " << root;
                ASSERT_EQ(made.ranks[0].threads.size() % (op() == CollectiveOp::barrier ? 1 : channels), 0u);
            }
        }
}

// Odd sizes: shorter last chunks, chunks that share a line, more ranks than elements.
TEST_P(Algorithm, IsVerifiedForUnevenSizes)
{
    for (std::uint32_t ranks : {1u, 2u, 3u, 5u, 7u, 16u, 33u})
        for (std::uint32_t channels : {1u, 3u}) {
            if (ranks > 16 && channels > 1 && !weft::test::thorough()) continue;
            for (std::uint64_t bytes : {1000003ull, 65537ull, 4096ull, 64ull, 5ull, 1ull}) {
                VerifyOptions size;
                size.bytes = bytes;
                const Verification result =
                    verify(schedule(ranks, options(ranks, *roots(ranks).rbegin(), channels)), size);
                ASSERT_TRUE(result.ok) << ranks << " ranks, " << channels << " channels, " << bytes << " bytes\n"
                                       << all_problems(result);
            }
        }
}

TEST_P(Algorithm, MovesTheBytesOfTheory)
{
    for (std::uint32_t ranks : sizes())
        for (std::uint64_t bytes : {std::uint64_t{ranks} * 4096, std::uint64_t{1000012}, std::uint64_t{20}})
            for (std::uint32_t root : roots(ranks)) {
                const AlgorithmOptions chosen = options(ranks, root, ranks % 8 == 3 ? 3 : 1);
                const Schedule made = schedule(ranks, chosen);
                const Traffic traffic = traffic_of(made, Layout(made, bytes, 4));
                const TheoryCase expected = theory_case(op(), name(), ranks, bytes, 4, chosen);
                ASSERT_EQ(traffic.pairs, theory_bytes_pairs(expected)) << ranks << " ranks, " << bytes << " bytes";
                for (std::uint32_t from : {0u, ranks / 2, ranks - 1})
                    ASSERT_EQ(traffic.sent[from], theory_bytes_sent(expected, from))
                        << ranks << " ranks, " << bytes << " bytes, rank " << from;
                ASSERT_EQ(theory_bytes_between(expected, 0, ranks - 1), traffic.between(0, ranks - 1));
            }
}

namespace {

std::vector<std::tuple<CollectiveOp, std::string>> all_cases()
{
    std::vector<std::tuple<CollectiveOp, std::string>> cases;
    for (CollectiveOp op : ops)
        for (const std::string& name : algorithm_names(op)) cases.emplace_back(op, name);
    return cases;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(All, Algorithm, ::testing::ValuesIn(all_cases()), case_name);

TEST(Algorithms, RingAndDirectExistForEveryCollective)
{
    for (CollectiveOp op : ops)
        for (const char* name : {"ring", "direct"}) {
            const std::vector<std::string> names = algorithm_names(op);
            EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name_of(op);
        }
    EXPECT_TRUE(algorithm_names(CollectiveOp::custom).empty());
}

TEST(Algorithms, RefusesWhatItDoesNotKnow)
{
    try {
        make_schedule("rnig", CollectiveOp::all_reduce, 4);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()),
            "all_reduce has no algorithm 'rnig'; expected ring, direct, one_shot, one_shot_get, two_shot_get, "
            "one_shot_staged, two_shot_load, two_shot_staged, rings, "
            "bidirectional_ring, bruck, pat, hierarchical, multi_dim, tree, double_tree, chain, recursive_doubling, "
            "halving_doubling, nvls, nvls_one_shot, push_reduce, nvls_tree (did you mean 'ring'?)");
    }
    EXPECT_THROW(make_schedule("ring", CollectiveOp::send_receive, 4), InputError);
    EXPECT_THROW(make_schedule("ring", CollectiveOp::all_reduce, 0), InputError);
    EXPECT_THROW(make_schedule("ring", CollectiveOp::all_reduce, 4097), InputError);
    AlgorithmOptions options;
    options.channels = 0;
    EXPECT_THROW(make_schedule("ring", CollectiveOp::all_reduce, 4, options), InputError);
    options = {};
    options.root = 4;
    EXPECT_THROW(make_schedule("ring", CollectiveOp::broadcast, 4, options), InputError);
    options = {};
    options.pipeline = 0;
    EXPECT_THROW(make_schedule("ring", CollectiveOp::broadcast, 4, options), InputError);
}

// Without the signal ahead of it a get would load from a rank that has not entered; the terms of one-shot are in
// scratch slots, those of a get nowhere.
TEST(Algorithms, OneShotTakesScratchAndAGetTakesNone)
{
    for (const std::uint32_t ranks : {2u, 8u}) {
        const Schedule put = make_schedule("one_shot", CollectiveOp::all_reduce, ranks);
        EXPECT_EQ(Layout(put, 4096, 4).memory_bytes(0, Buffer::scratch), (ranks - 1) * 4096u);
        const Schedule get = make_schedule("one_shot_get", CollectiveOp::all_reduce, ranks);
        EXPECT_EQ(Layout(get, 4096, 4).memory_bytes(0, Buffer::scratch), 0u);
        const std::vector<Step>& steps = get.ranks[0].threads[0].steps;
        ASSERT_EQ(steps.size(), 2 * (ranks - 1) + 1);
        EXPECT_EQ(steps.front().kind, StepKind::signal);
        EXPECT_EQ(steps.back().kind, StepKind::move);
        EXPECT_EQ(steps.back().sources.size(), ranks);
    }
}

TEST(Algorithms, SixtyFourRanksWithSixteenChannelsAreVerifiedInSeconds)
{
    AlgorithmOptions options;
    options.channels = 16;
    for (const char* name : {"ring", "direct"}) {
        const auto begin = std::chrono::steady_clock::now();
        const Schedule schedule = make_schedule(name, CollectiveOp::all_reduce, 64, options);
        const Verification result = verify(schedule);
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
        EXPECT_TRUE(result.ok) << all_problems(result);
        RecordProperty(std::string(name) + "_seconds", std::to_string(taken.count()));
        std::printf("%s: %llu steps in %.2f s\n", name, static_cast<unsigned long long>(result.executed),
            taken.count());
    }
}

}  // namespace algorithms_test
