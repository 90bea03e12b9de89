// The reference model has the pins of the block in every clock.
#include "rtl/cache/llc_rtl.h"
#include "rtl/cache/reference_slice.h"
#include "testbenches/rtl/cache/llc_bench.h"
#include "testbenches/rtl/cache/llc_sets.h"
#include "testbenches/rtl/rtl_test.h"
#include "testbenches/support/thorough.h"

namespace weft::reference_slice_test {
namespace {

using test::compare;

class ReferenceSliceTest : public RtlTest {
protected:
    // 1 or 20 seeds of 100,000 clocks, each with other bits in what no reset sets.
    static void expect_equal(const LlcParameters& parameters)
    {
        ReferenceSlice reference(parameters);
        for (std::uint64_t seed = 1; seed <= test::by_default(1, 20); ++seed) {
            LlcRtl block(parameters, "dut", seed);
            const std::string wrong = compare(reference, block, parameters, seed, 100'000);
            ASSERT_EQ(wrong, "") << "seed " << seed;
        }
    }
};

TEST_F(ReferenceSliceTest, UsualSlice) { expect_equal(test::usual()); }
TEST_F(ReferenceSliceTest, SmallestSlice) { expect_equal(test::smallest()); }
TEST_F(ReferenceSliceTest, OddSlice) { expect_equal(test::odd()); }
TEST_F(ReferenceSliceTest, LongPipelines) { expect_equal(test::long_pipelines()); }
TEST_F(ReferenceSliceTest, ManyEntries) { expect_equal(test::many_entries()); }

}  // namespace
}  // namespace weft::reference_slice_test
