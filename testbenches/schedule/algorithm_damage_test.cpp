// Negative controls: damage one step of a built-in schedule, any one, and the verifier finds it.
#include <gtest/gtest.h>

#include "collectives/schedule/algorithms/algorithms.h"
#include "testbenches/schedule/plans.h"
#include "testbenches/support/thorough.h"

namespace algorithm_damage_test {

using namespace weft;

namespace {

class Damaged : public ::testing::TestWithParam<std::tuple<CollectiveOp, std::string>> {
protected:
    // Calls damage(schedule copy, step, its thread, index) at every step; the schedule must be refused where
    // that returns true. Returns how many were damaged.
    template <typename Damage>
    std::uint32_t everywhere(std::uint32_t ranks, Damage&& damage)
    {
        const auto& [op, name] = GetParam();
        AlgorithmOptions options;
        options.pipeline = 2;
        options.rings = 2;
        const Schedule whole = make_schedule(name, op, ranks, options);
        std::uint32_t damaged = 0;
        // By default at every third rank.
        for (std::uint32_t rank = 0; rank < ranks; rank += weft::test::thorough() ? 1 : 3)
            for (std::uint32_t t = 0; t < whole.ranks[rank].threads.size(); ++t)
                for (std::uint32_t s = 0; s < whole.ranks[rank].threads[t].steps.size(); ++s) {
                    Schedule schedule = whole;
                    std::vector<Step>& steps = schedule.ranks[rank].threads[t].steps;
                    if (!damage(schedule, steps, s)) continue;
                    ++damaged;
                    // The step behind one that is gone may have no data step before it.
                    if (s < steps.size() && (s == 0 || !is_data(steps[s - 1].kind))) steps[s].with_previous = false;
                    VerifyOptions few;
                    few.most_problems = 1;
                    EXPECT_FALSE(verify(schedule, few).ok) << "rank " << rank << " thread " << t << " step " << s;
                }
        return damaged;
    }
};

template <typename Wanted>
auto dropping(Wanted wanted)
{
    return [wanted](Schedule&, std::vector<Step>& steps, std::uint32_t s) {
        if (!wanted(steps[s].kind)) return false;
        steps.erase(steps.begin() + s);
        return true;
    };
}

std::vector<std::tuple<CollectiveOp, std::string>> all_cases()
{
    std::vector<std::tuple<CollectiveOp, std::string>> cases;
    for (int op = 0; op <= static_cast<int>(CollectiveOp::custom); ++op)
        for (const std::string& name : algorithm_names(static_cast<CollectiveOp>(op)))
            cases.emplace_back(static_cast<CollectiveOp>(op), name);
    return cases;
}

}  // namespace

TEST_P(Damaged, ADroppedTransferIsFound)
{
    const bool barrier = std::get<0>(GetParam()) == CollectiveOp::barrier;
    for (std::uint32_t ranks : {5u, 8u}) EXPECT_EQ(everywhere(ranks, dropping(is_data)) > 0, !barrier);
}

TEST_P(Damaged, AMissingWaitIsFound)
{
    const bool alone = std::get<1>(GetParam()) == "push_reduce";
    for (std::uint32_t ranks : {5u, 8u})
        EXPECT_EQ(everywhere(ranks, dropping([](StepKind kind) { return kind == StepKind::wait; })) > 0, !alone);
}

TEST_P(Damaged, AMissingSignalIsFound)
{
    for (std::uint32_t ranks : {5u, 8u})
        everywhere(ranks, dropping([](StepKind kind) { return kind == StepKind::signal; }));
}

TEST_P(Damaged, ASwappedChunkIsFound)
{
    for (std::uint32_t ranks : {5u, 8u})
        everywhere(ranks, [](Schedule& schedule, std::vector<Step>& steps, std::uint32_t s) {
            if (!is_data(steps[s].kind)) return false;
            for (std::vector<ChunkRef>* operands : {&steps[s].sources, &steps[s].destinations})
                for (ChunkRef& ref : *operands) {
                    const std::uint32_t chunks = schedule.declared_chunks(ref.rank, ref.buffer);
                    if (chunks < 2) continue;
                    ref.index = (ref.index + 1) % chunks;
                    return true;
                }
            return false;
        });
}

TEST_P(Damaged, ATransferToTheWrongRankIsFound)
{
    for (std::uint32_t ranks : {5u, 8u})
        everywhere(ranks, [ranks](Schedule&, std::vector<Step>& steps, std::uint32_t s) {
            if (steps[s].kind != StepKind::move) return false;
            ChunkRef& ref = steps[s].destinations.back();
            ref.rank = (ref.rank + 1) % ranks;
            return true;
        });
}

INSTANTIATE_TEST_SUITE_P(All, Damaged, ::testing::ValuesIn(all_cases()),
    [](const auto& info) { return std::string(name_of(std::get<0>(info.param))) + "_" + std::get<1>(info.param); });

}  // namespace algorithm_damage_test
