// Reference model and block, clock by clock, and both against the scoreboard: 2 seeds of 40,000 clocks or 20 of
// 100,000 for each set of parameters.
#include "testbenches/rtl/reduction/reduction_bench.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::test::reduction_lockstep_test {
namespace {

const std::uint64_t clocks = by_default(40'000, 100'000);

class ReductionLockstepTest : public RtlTest {
protected:
    void compare(const ReductionParameters& parameters)
    {
        const std::string library = block_library(reduction_source(parameters));
        unsigned operations = 0;
        for (std::uint64_t seed = 1; seed <= by_default(2, 20); ++seed) {
            ReductionRtl block(parameters, library, "unit", seed);
            ReferenceReduction reference(parameters);
            const ReductionRun run = run_traffic(parameters, seed, TrafficShape::of(seed), clocks, block, &reference);
            ASSERT_EQ(run.difference, "") << "seed " << seed << ", clock " << run.clock;
            EXPECT_GT(run.clock, clocks);
            operations += run.operations;
        }
        std::printf("%u operations\n", operations);
    }
};

TEST_F(ReductionLockstepTest, EightMembersFourContexts) { compare({8, 4, 4, 16, 8, 4, 0, 1, 2, 3}); }
TEST_F(ReductionLockstepTest, OneContextTwoChannels) { compare({2, 1, 1, 2, 2, 2, 0, 0, 0, 1}); }
TEST_F(ReductionLockstepTest, OddSizesChannelsApart) { compare({5, 3, 7, 9, 6, 6, 4, 0, 5, 2}); }
TEST_F(ReductionLockstepTest, SixteenMembersManyContexts) { compare({16, 8, 16, 32, 18, 4, 0, 1, 2, 3}); }
TEST_F(ReductionLockstepTest, FewSlotsManyGroups) { compare({7, 33, 12, 3, 7, 4, 0, 1, 2, 3}); }

}  // namespace
}  // namespace weft::test::reduction_lockstep_test
